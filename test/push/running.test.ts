import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Failure } from "../../clients/push/failure.ts";
import { datasourceOf, parseOptions } from "../../clients/push/options.ts";
import { run } from "../../clients/push/run.ts";
import { openLocalAdmin, runAdmin } from "../../scripts/admin.ts";
import { addressOf } from "../../scripts/local/acme.ts";
import { workerFetch } from "../../scripts/local/local-request.ts";
import { pushFolder } from "../../scripts/local/push-folder.ts";
import { GATEHOUSE_FOLDER, ORIGIN } from "../support/node/gatehouse.ts";
import { docx, paragraph, pdf } from "./files.ts";

let folder: string;
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-push-running-"));
  const admin = openLocalAdmin(GATEHOUSE_FOLDER, addressOf(ORIGIN));
  try {
    const command = "token create acme --kind indexing --scope documents:pushed --expires-in-days 1 --name push";
    const { secret } = await runAdmin(command.split(" "), { ...admin, print: () => undefined });
    token = String(secret);
  } finally {
    await admin.dispose();
  }
});
afterAll(() => rm(folder, { recursive: true }));

interface Pushed {
  readonly exitCode: number;
  readonly text: string;
}

/** Runs the tool as npm would: in a process, which takes a second to start. */
function pushingAlone(args: readonly string[]) {
  const env = { PATH: process.env["PATH"], GATEHOUSE_URL: ORIGIN, GATEHOUSE_TOKEN: token };
  return new Promise<Pushed>((settle) => {
    execFile(process.execPath, ["clients/push/push.ts", ...args], { env }, (error, output, complaints) => {
      settle({ exitCode: error === null ? 0 : Number(error.code ?? 1), text: output + complaints });
    });
  });
}

/** Does what the program does, in this process. */
async function pushing(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Pushed> {
  const printed: string[] = [];
  try {
    const options = parseOptions([...args], { GATEHOUSE_URL: ORIGIN, GATEHOUSE_TOKEN: token, ...environment });
    if (!options) throw new Error("help was asked for");
    const exitCode = await run(options, (line) => printed.push(line));
    return { exitCode, text: printed.join("\n") };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { exitCode: error.exitCode, text: error.message };
  }
}

async function indexing(call: string, body: object): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify({ datasource: "pushed", ...body }) };
  return (await fetch(`${ORIGIN}/rest/api/index/${call}`, request)).json();
}

describe("with a running Gatehouse", () => {
  it("the push tool pushes a folder with its rules, sends nothing the second time, and shows no token", async () => {
    await writeFile(join(folder, "GATEHOUSE_ACCESS"), "* everyone\n*.pdf user:carla@acme.example\n");
    await writeFile(join(folder, "leave.md"), "# Leave\n28 days");
    await writeFile(join(folder, "travel.docx"), docx(paragraph("Ask your lead")));
    await writeFile(join(folder, "budget.pdf"), pdf("Twelve thousand"));
    await writeFile(join(folder, "broken.pdf"), "%PDF-1.7");
    const command = [folder, "--datasource", "pushed"];
    const first = await pushing(command);
    expect(first.text).toContain("3 documents sent, 0 unchanged, 0 removed");
    expect(first.text).toContain("broken.pdf: Invalid PDF structure.");
    expect(first.exitCode).toBe(3);
    expect(await indexing("checkdocumentaccess", { docId: "budget.pdf", userEmail: "ben@acme.example" })).toEqual({
      hasAccess: false,
    });
    expect(await indexing("checkdocumentaccess", { docId: "leave.md", userEmail: "ben@acme.example" })).toEqual({
      hasAccess: true,
    });
    await rm(join(folder, "broken.pdf"));
    const second = await pushing(command);
    expect(second.text).toContain("0 documents sent, 3 unchanged, 0 removed");
    expect(second.exitCode).toBe(0);
    await rm(join(folder, "leave.md"));
    const third = await pushing(command);
    expect([third.exitCode, third.text]).toEqual([4, expect.stringContaining("run it again with --remove")]);
    expect((await pushing([...command, "--remove"])).text).toContain("1 removed");
    expect(await indexing("getdocumentcount", {})).toEqual({ documentCount: 2 });
    expect(first.text + second.text + third.text).not.toContain(token);
  });

  it("npm start pushes a folder in place of the sample: for everybody, or as its rules say", async () => {
    const own = join(folder, "Pushed");
    await mkdir(own);
    await writeFile(join(own, "own.md"), "# Own");
    const target = { origin: "https://acme.home.example", token, fetch: workerFetch(ORIGIN) };
    expect(datasourceOf(own)).toBe("pushed");
    const printed: string[] = [];
    const push = () => pushFolder(own, target, (line) => printed.push(line));
    await push();
    expect(printed[0]).toBe(`$ npm run push -- ${own} --to https://acme.home.example --everyone`);
    expect(printed[1]).toContain("to pushed: 1 document sent");
    const asked = { docId: "own.md", userEmail: "farid@acme.example" };
    expect(await indexing("checkdocumentaccess", asked)).toEqual({ hasAccess: true });
    await writeFile(join(own, "GATEHOUSE_ACCESS"), "* group:finance\n");
    await push();
    expect(await indexing("checkdocumentaccess", asked)).toEqual({ hasAccess: false });
  });

  it("npm run push refuses what it can't do safely, with the exit code for CI and without a stack", async () => {
    const { exitCode: alone, text: said } = await pushingAlone(["test/push"]);
    expect([alone, said.includes("Say who may see"), /\n\s+at /.test(said)]).toEqual([2, true, false]);
    const rules = { GATEHOUSE_URL: ORIGIN };
    for (const [args, environment, problem] of [
      [[], rules, "Name a folder"],
      [["/nowhere-at-all", "--everyone"], rules, "is not a folder"],
      [[folder, "--everyone"], rules, "has a file GATEHOUSE_ACCESS"],
      [["test/push", "--everyone", "--token", "x"], rules, "set GATEHOUSE_TOKEN"],
      [["test/push", "--everyone"], { GATEHOUSE_TOKEN: "" }, "Set GATEHOUSE_TOKEN"],
      [["test/push", "--everyone"], { GATEHOUSE_URL: "http://acme.example" }, "Use https"],
      [["https://ada:secret@acme.example/", "--everyone"], rules, "Leave the password out"],
    ] as const) {
      const { exitCode, text } = await pushing(args, environment);
      expect([args, exitCode, text.includes(problem)]).toEqual([args, 2, true]);
    }
  });
});
