import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, inject, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/local/postgres-server.ts";
import { parseRequest } from "#client-api/search/request.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { newMemory, PostgresDocuments } from "#documents-postgres/engine.ts";
import type { Database } from "#documents-postgres/database.ts";
import { PostgresDatabase } from "#documents-postgres/postgres-database.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { failingAt } from "./interrupted.ts";
import { newServer, startAgain } from "./servers.ts";
import { PostgresWorld } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };

const put = (externalId: string) =>
  ({ act: "put", document: aDocument(externalId, { body: "tide almanac" }) }) as const;

describe("the PostgreSQL engine", () => {
  it("sets planning, timeout and search path in every transaction, whatever its connection was left with", async () => {
    const { database, instanceId } = await PostgresWorld.begin();
    const names = ["plan_cache_mode", "statement_timeout", "search_path"];
    const statement =
      "SELECT name, setting FROM pg_settings WHERE $1::bigint > 0 AND name = ANY ($2::text[]) ORDER BY name";
    const told = (planning: string) => [
      { name: "plan_cache_mode", setting: planning },
      { name: "search_path", setting: "gatehouse" },
      { name: "statement_timeout", setting: "4000" },
    ];
    for (const mode of ["write", "read"] as const) {
      for (let times = 0; times < 4; times++) {
        const settings = await database[mode](instanceId, (rows) => {
          const list = `{${names.join(",")}}`;
          return Promise.all([rows.byKey(statement, list), rows.all(statement, list), rows.byKey(statement, list)]);
        });
        expect(settings).toEqual([told("force_generic_plan"), told("force_custom_plan"), told("force_generic_plan")]);
        await database[mode](instanceId, (rows) =>
          rows.all("SELECT set_config('plan_cache_mode', 'force_generic_plan', false), $1::bigint"),
        );
      }
    }
  });

  it("ends a search whose statement takes too long, and serves the next one on the same connection", async () => {
    const { database, instanceId, engine } = await PostgresWorld.begin();
    await engine.apply(instanceId, [put("one")]);
    let isHostile = true;
    const slow: Database = {
      write: (id, act) => database.write(id, act),
      read: (id, act) =>
        database.read(id, (rows) =>
          act({
            instanceId: id,
            all: async (statement, ...values) => {
              if (!isHostile || !/FROM entries/.test(statement)) return rows.all(statement, ...values);
              await rows.all("SELECT set_config('statement_timeout', '20', true), $1::bigint");
              return rows.all("SELECT pg_sleep(60), $1::bigint");
            },
            byKey: (statement, ...values) => rows.byKey(statement, ...values),
          }),
        ),
    };
    const searching = new PostgresDocuments(slow, newMemory(), () => 1000);
    const clauses = parseRequest({ query: "tide almanac" });
    const search = { ...clauses, position: null, preferences: { languages: USUAL_LANGUAGES, recentAt: null } };
    const find = () => searching.find(instanceId, search, seer);
    await expect(find()).rejects.toThrow("statement timeout");
    isHostile = false;
    expect((await find()).documents).toHaveLength(1);
  });

  it("has an index that is updated immediately, and no statistics of its words", async () => {
    const world = await PostgresWorld.begin();
    const [tokens] = await world.rows<{ target: number }>(
      `SELECT attstattarget AS target FROM pg_attribute
       WHERE $1::bigint > 0 AND attrelid = 'entries'::regclass AND attname = 'tokens'`,
    );
    const [index] = await world.rows<{ options: string }>(
      "SELECT reloptions::text AS options FROM pg_class WHERE $1::bigint > 0 AND oid = 'entries_by_token'::regclass",
    );
    expect([tokens?.target, index?.options]).toEqual([0, "{fastupdate=off}"]);
  });

  it("keeps the rows that searches read small, however a document is written", async () => {
    const world = await PostgresWorld.begin();
    const { document } = put("one");
    const { datasource, externalId, principals } = document;
    const permit = { act: "permit", datasource, externalId } as const;
    for (const change of [
      put("one"),
      { act: "put", document: { ...document, body: "tide" } } as const,
      { ...permit, principals: [] },
      { ...permit, principals },
    ]) {
      await world.engine.apply(world.instanceId, [change]);
      const tokens = await world.rows<{ areApart: boolean }>(
        `SELECT pg_column_toast_chunk_id(tokens) IS NOT NULL AS "areApart" FROM entries WHERE instance_id = $1`,
      );
      expect(tokens).toEqual([{ areApart: true }]);
    }
  });

  it("sends nothing once its connection is gone", async () => {
    const { instanceId } = await PostgresWorld.begin();
    // Its own connection: the shared ones also serve other files, which would meet the end of one.
    const database = new PostgresDatabase(inject("postgres"), 1);
    const cut = database.write(instanceId, async (rows) => {
      await rows.all("SELECT $1::bigint, pg_terminate_backend(pg_backend_pid())").catch(() => undefined);
      await wait(50);
      await rows.all("SELECT $1::bigint");
    });
    await expect(cut).rejects.toThrow("CONNECTION_CLOSED");
    // An error that the driver throws later would fail this file.
    await wait(50);
    await database.end();
  });

  it("writes nothing if one of its changes fails", async () => {
    const { database, instanceId, engine } = await PostgresWorld.begin();
    const failing = new PostgresDocuments(
      failingAt(database, /INSERT INTO words/, () => Promise.reject(new Error("no words"))),
      newMemory(),
      () => 1000,
    );
    await expect(failing.apply(instanceId, [put("one"), put("two")])).rejects.toThrow("no words");
    expect(await engine.count(instanceId, DATASOURCE)).toBe(0);
    expect(await engine.maySee(instanceId, DATASOURCE, "one", seer)).toBeUndefined();
  });
});

it("a program that fails keeps its exit code, even after it loaded PostgreSQL", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-postgres-"));
  const file = join(folder, "no-folder");
  await writeFile(file, "");
  const module = new URL("../../scripts/local/postgres-server.ts", import.meta.url).href;
  const program = `import { startPostgres } from ${JSON.stringify(module)};
    process.exitCode = 3;
    await startPostgres({ folder: ${JSON.stringify(file)}, password: "x", isDurable: false }).catch(() => undefined);`;
  expect(spawnSync(process.execPath, ["--input-type=module", "--eval", program]).status).toBe(3);
  await rm(folder, { recursive: true });
});

describe("the PostgreSQL engine when its server fails", () => {
  const servers: PostgresServer[] = [];
  const folders: string[] = [];
  afterAll(async () => {
    for (const server of servers) await server.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  it("rejects calls while the server is down or does not respond", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => void silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    for (const address of [
      "postgres://nobody:none@127.0.0.1:9/none",
      `postgres://nobody:none@127.0.0.1:${port}/none`,
    ]) {
      const database = new PostgresDatabase(address, 1, 1);
      const engine = new PostgresDocuments(database, newMemory(), () => 1000);
      await expect(engine.count(1, DATASOURCE)).rejects.toThrow();
      await expect(engine.apply(1, [put("one")])).rejects.toThrow();
      await database.end();
    }
    silent.close();
  });

  it("keeps nothing of a write in which the server was killed, and continues with what was there", async () => {
    const created = await newServer();
    folders.push(created.folder);
    // Confirmed writes have to be durable: otherwise a killed server forgets its last moments.
    const settings = { ...created, isDurable: true };
    const killed = await startPostgres(settings);
    const database = new PostgresDatabase(killed.address, 2);
    const engine = new PostgresDocuments(database, newMemory(), () => 1000);
    await database.write(1, (rows) => rows.all("INSERT INTO instances (instance_id, holding) VALUES ($1, 'serving')"));
    await engine.apply(1, [put("before")]);
    const killing = failingAt(database, /INSERT INTO words/, async (rows) => {
      process.kill(killed.processId, "SIGKILL");
      // The connection's process ends when it notices the kill, and could write until then.
      const isAlive = () =>
        rows.all("SELECT $1::bigint").then(
          () => true,
          () => false,
        );
      while (await isAlive()) await wait(10);
    });
    const interrupted = new PostgresDocuments(killing, newMemory(), () => 1000);
    await expect(
      interrupted.apply(1, [put("one"), put("two"), { act: "remove", datasource: DATASOURCE, externalId: "before" }]),
    ).rejects.toThrow();
    const isCounted = () =>
      engine.count(1, DATASOURCE).then(
        () => true,
        () => false,
      );
    await expect.poll(isCounted).toBe(false);
    await database.end();

    const again = await startAgain(settings);
    servers.push(again);
    const after = new PostgresDatabase(again.address, 2);
    const restarted = new PostgresDocuments(after, newMemory(), () => 1000);
    const seen = await Promise.all(["before", "one", "two"].map((id) => restarted.maySee(1, DATASOURCE, id, seer)));
    expect([seen, await restarted.count(1, DATASOURCE)]).toEqual([[true, undefined, undefined], 1]);
    expect(await restarted.apply(1, [put("one")])).toEqual(["done"]);
    expect(await restarted.count(1, DATASOURCE)).toBe(2);
    await after.end();
  });
});
