import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { explainFailure } from "../../scripts/admin/context.ts";
import { openLocalAdmin, runAdmin } from "../../scripts/admin.ts";
import { indexDocuments } from "../../scripts/local/index-documents.ts";
import { findFreePort } from "../../scripts/local/loopback.ts";
import { startWorker, type WorkerProcess } from "../../scripts/local/worker-process.ts";
import { documents } from "../support/node/documents.ts";
import { makeFolder } from "../support/node/private-folder.ts";

/** Workers of its own are started, one after another. */
const TIMEOUT_MILLISECONDS = 240_000;

type Admin = Awaited<ReturnType<typeof openLocalAdmin>>;

let source: string;
let target: string;

beforeAll(async () => {
  [source, target] = await Promise.all([makeFolder(), makeFolder()]);
  // What is sealed in the backup opens with the same master keys only.
  await copyFile(join(source, ".dev.vars"), join(target, ".dev.vars"));
});

afterAll(async () => {
  for (const folder of [source, target]) await rm(folder, { recursive: true, force: true });
});

describe("npm run admin -- backup, with documents", () => {
  it(
    "brings them to another deployment, where the same tokens find the same",
    async () => {
      const file = join(source, "backup.jsonl");
      const [indexing, ...people] = await withAdmin(source, async (admin) => {
        await run(admin, "schema apply");
        await run(admin, "instance create acme --admin ada@acme.example");
        const token = (order: string) => secretOf(admin, `token create acme --expires-in-days 1 --name x ${order}`);
        return [
          await token("--kind indexing --scope documents:packages"),
          await token("--kind client-api --scope SEARCH --person farid@acme.example"),
          await token("--kind client-api --scope SEARCH --person eve@acme.example"),
        ];
      });
      const before = await withWorker(source, async ({ baseUrl }) => {
        await indexDocuments({ baseUrl, token: indexing }, documents, () => undefined);
        await withAdmin(source, (admin) => run(admin, `backup write ${file} --url ${baseUrl}`));
        return Promise.all(people.map((token) => titlesOf(baseUrl, token)));
      });
      expect(before).toEqual([["Handbook for everybody", "Letter to Farid alone"], ["Handbook for everybody"]]);

      await withAdmin(target, async (admin) => {
        await run(admin, "schema apply");
        const cut = join(target, "cut.jsonl");
        const text = await readFile(file, "utf8");
        await writeFile(cut, text.slice(0, text.lastIndexOf('{"documents"')));
        expect(await refusal(admin, `backup restore ${cut}`)).toMatch(/was cut off/);
        // No Worker serves this folder: the command starts one.
        expect(await run(admin, `backup restore ${file}`)).toMatchObject({ documents: documents.length });
      });
      await withWorker(target, async ({ baseUrl }) => {
        expect(await Promise.all(people.map((token) => titlesOf(baseUrl, token)))).toEqual(before);
        await withAdmin(target, async (admin) => {
          expect(await run(admin, `backup restore ${file} --only documents --url ${baseUrl}`)).toMatchObject({
            documents: 0,
          });
          const other = join(target, "other.jsonl");
          await run(admin, `backup write ${other} --url ${baseUrl}`);
          expect(await refusal(admin, `backup restore ${other} --only documents --url ${baseUrl}`)).toMatch(
            /^The Worker answered 409: acme has documents/,
          );
          const bindings = { ...admin.bindings, MASTER_KEYS: `other:${"A".repeat(43)}` };
          expect(await refusal({ ...admin, bindings }, `backup write ${other}.2 --url ${baseUrl}`)).toMatch(
            /^The Worker answered 401: .*MASTER_KEYS/,
          );
        });
      });
    },
    TIMEOUT_MILLISECONDS,
  );
});

async function withAdmin<Result>(folder: string, act: (admin: Admin) => Promise<Result>): Promise<Result> {
  const admin = { ...(await openLocalAdmin(folder)), print: () => undefined };
  try {
    return await act(admin);
  } finally {
    await admin.dispose();
  }
}

async function withWorker<Result>(folder: string, act: (worker: WorkerProcess) => Promise<Result>): Promise<Result> {
  const worker = startWorker({ port: await findFreePort(), https: false, folder });
  try {
    await worker.ready();
    return await act(worker);
  } finally {
    await worker.stop();
  }
}

function run(admin: Admin, command: string) {
  return runAdmin(command.split(" "), admin);
}

async function secretOf(admin: Admin, command: string): Promise<string> {
  return String((await run(admin, command))["secret"]);
}

function refusal(admin: Admin, command: string): Promise<string> {
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
