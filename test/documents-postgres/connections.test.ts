import { rm } from "node:fs/promises";
import type { UploadItem } from "#documents/uploads/uploads.ts";
import { newMemory, PostgresDocuments } from "#documents-postgres/engine.ts";
import { PostgresDatabase } from "#documents-postgres/postgres-database.ts";
import connect from "postgres";
import { expect, inject, it } from "vitest";
import { startPostgres } from "../../scripts/local/postgres-server.ts";
import { uploadPage } from "../documents/upload-page.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { failingAt } from "./interrupted.ts";
import { newServer } from "./servers.ts";
import { PostgresWorld } from "./world.ts";

const put = (externalId: string) => ({ act: "put", document: aDocument(externalId, { body: "tide" }) }) as const;

const items = Array.from(
  { length: 20 },
  (_, at): UploadItem => ({ kind: "documents", document: aDocument(String(at), { body: `tide ${at}` }) }),
);
const PAGE = uploadPage({ isFirst: true, items });

it.each([
  ["a document is half written", /INSERT INTO entries/],
  ["its words are counted", /INSERT INTO words/],
  ["the page is noted", /INSERT INTO upload_pages/],
])(
  "an upload's page is rolled back if the server ends its connection before %s, and counts once when it is sent again",
  async (_, pattern) => {
    const { instanceId, engine } = await PostgresWorld.begin();
    // A separate connection, as each call of the Worker has, so that no other call uses one that is about to close.
    const database = new PostgresDatabase(inject("postgres"), 1);
    let cuts = 0;
    const cutting = failingAt(database, pattern, async (rows) => {
      cuts += 1;
      const [own] = await rows.all<{ pid: number }>("SELECT pg_backend_pid() AS pid, $1::bigint");
      const sql = connect(inject("postgres"), { max: 1 });
      await sql`SELECT pg_terminate_backend(${own?.pid ?? 0})`;
      await sql.end();
    });
    const interrupted = new PostgresDocuments(cutting, newMemory(), () => 1000);
    await expect(interrupted.takePage(instanceId, PAGE)).rejects.toThrow();
    expect(cuts).toBe(1);
    await database.end();
    expect([await engine.count(instanceId, DATASOURCE), await engine.uploads(instanceId, DATASOURCE)]).toEqual([0, []]);
    for (let times = 0; times < 2; times += 1) {
      expect(await engine.takePage(instanceId, PAGE)).toMatchObject({ received: items.length });
    }
    expect(await engine.count(instanceId, DATASOURCE)).toBe(items.length);
  },
);

it("calls beyond the number of connections wait for their turn", async () => {
  const { instanceId, engine } = await PostgresWorld.begin();
  const database = new PostgresDatabase(inject("postgres"), 1);
  const narrow = new PostgresDocuments(database, newMemory(), () => 1000);
  const names = Array.from({ length: 20 }, (_, at) => String(at));
  const outcomes = await Promise.all(
    names.flatMap((name) => [narrow.apply(instanceId, [put(name)]), narrow.count(instanceId, DATASOURCE)]),
  );
  expect(outcomes.filter((outcome) => Array.isArray(outcome))).toEqual(names.map(() => ["done"]));
  expect(await engine.count(instanceId, DATASOURCE)).toBe(names.length);
  await database.end();
});

it("a server without a free connection rejects calls, stores nothing of them, and serves again once it has one", async () => {
  const created = await newServer();
  const settings = ["max_connections=3", "superuser_reserved_connections=0"];
  const server = await startPostgres({ ...created, isDurable: false, settings });
  const database = new PostgresDatabase(server.address, 1);
  const engine = new PostgresDocuments(database, newMemory(), () => 1000);
  await database.write(1, (rows) => rows.all("INSERT INTO instances (instance_id, holding) VALUES ($1, 'serving')"));
  await engine.apply(1, [put("before")]);
  await database.end();

  const others = connect(server.address, { max: 3 });
  const taken = await Promise.all(Array.from({ length: 3 }, () => others.reserve()));
  const late = new PostgresDatabase(server.address, 1);
  const waiting = new PostgresDocuments(late, newMemory(), () => 1000);
  await expect(waiting.count(1, DATASOURCE)).rejects.toThrow("too many clients");
  await expect(waiting.apply(1, [put("one")])).rejects.toThrow("too many clients");
  for (const connection of taken) connection.release();
  await others.end();
  await expect.poll(() => waiting.count(1, DATASOURCE).catch(() => null)).toBe(1);
  expect(await waiting.apply(1, [put("one")])).toEqual(["done"]);
  expect(await waiting.count(1, DATASOURCE)).toBe(2);
  await late.end();
  await server.stop();
  await rm(created.folder, { recursive: true, force: true });
});
