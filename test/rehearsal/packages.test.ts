import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseEnv, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runAdmin } from "../../scripts/admin.ts";
import { bundleWorker } from "../support/node/bundled-worker.ts";
import { type Deployments, deployWorkers } from "../support/node/deployed-worker.ts";
import { makeFolder } from "../support/node/private-folder.ts";

const TIMEOUT_MILLISECONDS = 240_000;
const execute = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** A user's project: the packed packages in its `node_modules`, and what they depend on in the repository's. */
let project: string;
let folder: string;
let deployments: Deployments<"acme">;
let origin: string;
let packed: readonly Packed[];
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  await mkdir(".artifacts", { recursive: true });
  project = await mkdtemp(resolve(".artifacts/packages-"));
  const pack = ["pack", "--json", "--pack-destination", project, "--workspace", "clients/typescript"];
  packed = JSON.parse((await execute("npm", [...pack, "--workspace", "clients/push", "--silent"])).stdout) as Packed[];
  for (const [at, name] of ["gatehouse-client", "gatehouse-push"].entries()) {
    const target = join(project, "node_modules", name);
    await mkdir(target, { recursive: true });
    const tarball = join(project, packed[at]?.filename ?? "");
    await execute("tar", ["-xzf", tarball, "-C", target, "--strip-components", "1"]);
  }
  folder = await makeFolder();
  const { MASTER_KEYS: masterKeys = "" } = parseEnv(await readFile(join(folder, ".dev.vars"), "utf8"));
  deployments = await deployWorkers(await bundleWorker(), masterKeys, ["acme"]);
  const { admin, baseUrl } = deployments.of.acme;
  origin = baseUrl;
  const run = (order: string) => runAdmin(order.split(" "), admin);
  await run("schema apply");
  await run("instance create acme --admin ada@acme.example");
  const token = async (order: string) =>
    String((await run(`token create acme --expires-in-days 1 --name x ${order}`))["secret"]);
  environment = {
    PATH: process.env["PATH"],
    GATEHOUSE_URL: origin,
    GATEHOUSE_TOKEN: await token("--kind indexing --scope documents:handbook"),
    ACCESS_TOKEN: await token("--kind client-api --scope SEARCH --person ada@acme.example"),
  };
}, TIMEOUT_MILLISECONDS);

afterAll(async () => {
  await deployments.stop();
  for (const each of [project, folder]) await rm(each, { recursive: true, force: true });
});

describe("the packages, as a user installs them", { timeout: TIMEOUT_MILLISECONDS }, () => {
  it("contain their licence, their README and only what runs", () => {
    const [client, push] = packed.map(({ files }) => files.map(({ path }) => path).toSorted());
    expect(client).toEqual(["LICENSE", "README.md", "client.d.ts", "client.js", "package.json", "schema.d.ts"]);
    expect(push).toEqual(expect.arrayContaining(["LICENSE", "README.md", "dist/push.js", "package.json"]));
    expect(push?.filter((path) => /\.ts$|test/.test(path))).toEqual([]);
  });

  it("push a folder, and find it with the program of the client's README", async () => {
    const notes = join(folder, "handbook");
    await mkdir(notes);
    await writeFile(join(notes, "travel.md"), "# How to book travel\nAsk your lead first.\n");
    const tool = join(project, "node_modules/gatehouse-push/dist/push.js");
    const { stdout: help } = await execute(process.execPath, [tool, "--help"], { env: environment });
    expect(help).toContain("Usage: gatehouse-push <source>");
    const { stdout } = await execute(process.execPath, [tool, notes, "--everyone"], { env: environment });
    expect(stdout).toContain("1 document sent, 0 unchanged, 0 removed.");

    const readme = await readFile(join(project, "node_modules/gatehouse-client/README.md"), "utf8");
    const [, example = ""] = /```ts\n(.*?)```/s.exec(readme) ?? [];
    const program = example
      .replace("https://acme-be.example.com", origin)
      .replace("accessToken()", 'process.env["ACCESS_TOKEN"] ?? ""');
    await writeFile(join(project, "example.mts"), program);
    const strict = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext", "--types", "node", "example.mts"];
    await execute(resolve("node_modules/.bin/tsc"), strict, { cwd: project });
    const ran = await execute(process.execPath, ["example.mts"], { cwd: project, env: environment });
    expect(ran.stdout).toContain("How to book travel");
  });
});
