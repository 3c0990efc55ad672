import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { servicesOf } from "#services.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminContext } from "../../scripts/admin/context.ts";
import { explainFailure } from "../../scripts/admin/failures.ts";
import { openLocalAdmin, runAdmin } from "../../scripts/admin.ts";
import { workerFetch } from "../../scripts/local/local-request.ts";
import { newMasterKeys } from "../support/node/admin-database.ts";
import { bundleWorker } from "../support/node/bundled-worker.ts";
import { type DeployedWorker, type Deployments, deployWorkers } from "../support/node/deployed-worker.ts";
import { documents, indexDocuments } from "../support/node/documents.ts";
import { makeFolder } from "../support/node/private-folder.ts";

/** Long, because these tests start their own Workers. */
const TIMEOUT_MILLISECONDS = 240_000;

let folder: string;
let file: string;
let deployments: Deployments<"source" | "target">;
let source: DeployedWorker;
let target: DeployedWorker;
/** Tokens of two people, and below the titles that each finds in the source. */
let people: string[];
let found: string[][];

beforeAll(async () => {
  folder = await makeFolder();
  file = join(folder, "backup.jsonl");
  const { MASTER_KEYS: masterKeys = "" } = parseEnv(await readFile(join(folder, ".dev.vars"), "utf8"));
  // Sealed values in the backup can only be opened with the same master keys.
  deployments = await deployWorkers(await bundleWorker(), masterKeys, ["source", "target"]);
  ({ source, target } = deployments.of);
  for (const { admin } of [source, target]) await run(admin, "schema apply");
  await run(source.admin, "instance create acme --admin ada@acme.example");
  const token = async (order: string) =>
    String((await run(source.admin, `token create acme --expires-in-days 1 --name x ${order}`))["secret"]);
  const indexing = await token("--kind indexing --scope documents:handbook");
  people = [
    await token("--kind client-api --scope SEARCH --person farid@acme.example --new-person"),
    await token("--kind client-api --scope SEARCH --person eve@acme.example --new-person"),
  ];
  const { baseUrl } = source;
  await indexDocuments({ origin: baseUrl, token: indexing, fetch: workerFetch(baseUrl) });
  await run(source.admin, `backup write ${file} --url ${baseUrl}`);
  found = await Promise.all(people.map((person) => titlesOf(baseUrl, person)));
}, TIMEOUT_MILLISECONDS);

afterAll(async () => {
  await deployments.stop();
  await rm(folder, { recursive: true, force: true });
});

// Concurrent, because a refused token is retried for ten seconds while the other test starts a Worker.
describe.concurrent("npm run admin -- backup with documents", { timeout: TIMEOUT_MILLISECONDS }, () => {
  it("restores documents in another deployment, where the same tokens find the same documents", async () => {
    expect(found).toEqual([["Handbook for everybody", "Letter to Farid alone"], ["Handbook for everybody"]]);
    const { admin, baseUrl } = target;
    const cut = join(folder, "cut.jsonl");
    const text = await readFile(file, "utf8");
    await writeFile(cut, text.slice(0, text.lastIndexOf('{"documents"')));
    expect(await refusal(admin, `backup restore ${cut} --url ${baseUrl}`)).toMatch(/was truncated/);
    expect(await run(admin, `backup restore ${file} --url ${baseUrl}`)).toMatchObject({ documents: documents.length });
    expect(await Promise.all(people.map((person) => titlesOf(baseUrl, person)))).toEqual(found);
    expect(await run(admin, `backup restore ${file} --only documents --url ${baseUrl}`)).toMatchObject({
      documents: 0,
    });
    const other = join(folder, "other.jsonl");
    await run(admin, `backup write ${other} --url ${baseUrl}`);
    expect(await refusal(admin, `backup restore ${other} --only documents --url ${baseUrl}`)).toMatch(
      /^The Worker answered 409: acme has documents/,
    );
  });

  it("starts a Worker if none serves the local database", async () => {
    const local = openLocalAdmin(folder);
    const admin = { ...local, print: () => undefined };
    try {
      await run(admin, "schema apply");
      expect(await run(admin, `backup restore ${file}`)).toMatchObject({ documents: documents.length });
    } finally {
      await local.dispose();
    }
  });

  it("is refused with other master keys", async () => {
    const { admin, baseUrl } = source;
    const bindings = { ...admin.bindings, MASTER_KEYS: newMasterKeys() };
    const openDatabase = async () => ({
      ...(await admin.placeOf(false).openDatabase()),
      bindings,
      services: servicesOf(bindings),
    });
    const stranger = { ...admin, placeOf: () => ({ ...admin.placeOf(false), openDatabase }) };
    expect(await refusal(stranger, `backup write ${file}.other --url ${baseUrl}`)).toMatch(
      /^The Worker answered 401: .*MASTER_KEYS/,
    );
  });
});

function run(admin: AdminContext, command: string) {
  return runAdmin(command.split(" "), admin);
}

function refusal(admin: AdminContext, command: string): Promise<string> {
  return run(admin, command).then(() => "nothing was refused", explainFailure);
}

async function titlesOf(baseUrl: string, token: string): Promise<string[]> {
  const response = await fetch(`${baseUrl}/rest/api/v1/search`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: "token", pageSize: 100 }),
  });
  if (response.status !== 200) throw new Error(`search answered ${response.status}: ${await response.text()}`);
  const { results } = (await response.json()) as { results: { title: string }[] };
  return results.map(({ title }) => title).sort();
}
