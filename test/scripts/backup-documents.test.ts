import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { servicesOf } from "#services.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { explainFailure } from "../../scripts/admin/failures.ts";
import { openLocalAdmin, runAdmin } from "../../scripts/admin.ts";
import { indexDocuments } from "../../scripts/local/index-documents.ts";
import { findFreePort } from "../../scripts/local/loopback.ts";
import { startWorker, type WorkerProcess } from "../../scripts/local/worker-process.ts";
import { documents } from "../support/node/documents.ts";
import { makeFolder } from "../support/node/private-folder.ts";

/** Workers of its own are started. */
const TIMEOUT_MILLISECONDS = 240_000;

type Admin = ReturnType<typeof openLocalAdmin>;

let source: Deployment;
let target: Deployment;

/** A folder with a database of its own, open to commands while its Worker runs. */
interface Deployment {
  readonly folder: string;
  readonly admin: Admin;
}

beforeAll(async () => {
  const [first, second] = await Promise.all([makeFolder(), makeFolder()]);
  // What is sealed in the backup opens with the same master keys only.
  await copyFile(join(first, ".dev.vars"), join(second, ".dev.vars"));
  [source, target] = await Promise.all([open(first), open(second)]);
}, TIMEOUT_MILLISECONDS);

afterAll(async () => {
  for (const { folder, admin } of [source, target]) {
    await admin.dispose();
    await rm(folder, { recursive: true, force: true });
  }
});

describe("npm run admin -- backup, with documents", () => {
  it(
    "brings them to another deployment, where the same tokens find the same",
    async () => {
      const file = join(source.folder, "backup.jsonl");
      await run(source, "instance create acme --admin ada@acme.example");
      const { before, people, refusedToOthers } = await withWorker(source, async ({ baseUrl }) => {
        const token = (order: string) =>
          secretOf(source, `token create acme --expires-in-days 1 --name x ${order} --url ${baseUrl}`);
        const indexing = await token("--kind indexing --scope documents:packages");
        const searching = [
          await token("--kind client-api --scope SEARCH --person farid@acme.example"),
          await token("--kind client-api --scope SEARCH --person eve@acme.example"),
        ];
        await indexDocuments({ baseUrl, token: indexing }, documents, () => undefined);
        await run(source, `backup write ${file} --url ${baseUrl}`);
        // A token that is not taken is tried again for ten seconds; the restore has its time meanwhile.
        const stranger = { ...source, admin: { ...source.admin, placeOf: withOtherKeys(source.admin) } };
        const [refused] = await Promise.all([
          refusal(stranger, `backup write ${file}.other --url ${baseUrl}`),
          restoreIntoTarget(file),
        ]);
        return {
          people: searching,
          before: await Promise.all(searching.map((person) => titlesOf(baseUrl, person))),
          refusedToOthers: refused,
        };
      });
      expect(before).toEqual([["Handbook for everybody", "Letter to Farid alone"], ["Handbook for everybody"]]);
      expect(refusedToOthers).toMatch(/^The Worker answered 401: .*MASTER_KEYS/);

      await withWorker(target, async ({ baseUrl }) => {
        expect(await Promise.all(people.map((person) => titlesOf(baseUrl, person)))).toEqual(before);
        expect(await run(target, `backup restore ${file} --only documents --url ${baseUrl}`)).toMatchObject({
          documents: 0,
        });
        const other = join(target.folder, "other.jsonl");
        await run(target, `backup write ${other} --url ${baseUrl}`);
        expect(await refusal(target, `backup restore ${other} --only documents --url ${baseUrl}`)).toMatch(
          /^The Worker answered 409: acme has documents/,
        );
      });
    },
    TIMEOUT_MILLISECONDS,
  );
});

async function restoreIntoTarget(file: string): Promise<void> {
  const cut = join(target.folder, "cut.jsonl");
  const text = await readFile(file, "utf8");
  await writeFile(cut, text.slice(0, text.lastIndexOf('{"documents"')));
  expect(await refusal(target, `backup restore ${cut}`)).toMatch(/was truncated/);
  // No Worker serves this folder: the command starts one.
  expect(await run(target, `backup restore ${file}`)).toMatchObject({ documents: documents.length });
}

async function open(folder: string): Promise<Deployment> {
  const deployment = { folder, admin: { ...openLocalAdmin(folder), print: () => undefined } };
  await run(deployment, "schema apply");
  return deployment;
}

/** The same database, to somebody with other master keys. */
function withOtherKeys({ placeOf }: Admin): Admin["placeOf"] {
  return (isRemote) => ({
    ...placeOf(isRemote),
    openDatabase: async () => {
      const database = await placeOf(isRemote).openDatabase();
      const bindings = { ...database.bindings, MASTER_KEYS: `other:${"A".repeat(43)}` };
      return { ...database, bindings, services: servicesOf(bindings) };
    },
  });
}

async function withWorker<Result>(
  { folder }: Deployment,
  act: (worker: WorkerProcess) => Promise<Result>,
): Promise<Result> {
  const worker = startWorker({ port: await findFreePort(), https: false, folder });
  try {
    await worker.ready();
    return await act(worker);
  } finally {
    await worker.stop();
  }
}

function run({ admin }: Deployment, command: string) {
  return runAdmin(command.split(" "), admin);
}

async function secretOf(deployment: Deployment, command: string): Promise<string> {
  return String((await run(deployment, command))["secret"]);
}

function refusal(deployment: Deployment, command: string): Promise<string> {
  return run(deployment, command).then(() => "nothing was refused", explainFailure);
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
