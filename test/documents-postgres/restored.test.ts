import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import connect from "postgres";
import { DocumentActs } from "#administration/document-acts.ts";
import { DocumentMoves, type RestoredPlacement } from "#documents/moving/move.ts";
import type { Principal } from "#documents/engine.ts";
import type { EngineName } from "#documents/moving/placement.ts";
import type { ExportPage } from "#documents/upkeep/keeping.ts";
import { newMemory, PostgresDocuments } from "#documents-postgres/engine.ts";
import { instanceOf } from "#documents-postgres/instance.ts";
import { PostgresDatabase } from "#documents-postgres/postgres-database.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { findFreePort } from "../../scripts/local/loopback.ts";
import type { PostgresServer, PostgresSettings } from "../../scripts/local/postgres-server.ts";
import { Ledger, OTHER, transferOf } from "../documents/moving-world.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { type Calls, objectOf } from "./moved.ts";
import { copyData, newServer, startAgain } from "./servers.ts";

/** Each test has its own instance on the one server. */
let instanceId = 0;
const everyone = { kind: "everyone", datasource: "", name: "" } as const;
const put = (name: string, principals: readonly Principal[] = [everyone]) =>
  ({ act: "put", document: aDocument(name, { principals }) }) as const;
const remove = (externalId: string) => ({ act: "remove", datasource: DATASOURCE, externalId }) as const;

/** A server whose files are copied and put back while it is stopped, like a backup of its volume. */
class RestorableServer {
  readonly #settings: PostgresSettings;
  #server: PostgresServer | null = null;
  #database: PostgresDatabase | null = null;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
  }

  get address(): string {
    return this.#server?.address ?? "";
  }

  get database(): PostgresDatabase {
    if (!this.#database) throw new Error("the server is not started");
    return this.#database;
  }

  async start(): Promise<void> {
    this.#server = await startAgain(this.#settings);
    this.#database = new PostgresDatabase(this.#server.address, 2);
  }

  async stop(): Promise<void> {
    await this.#database?.end();
    await this.#server?.stop();
    this.#server = null;
  }

  async backUp(name: string): Promise<void> {
    await this.stop();
    await this.#copy("postgres", name);
    await this.start();
  }

  async restore(name: string): Promise<void> {
    await this.stop();
    await this.#copy(name, "postgres");
    await this.start();
  }

  async #copy(from: string, to: string): Promise<void> {
    const { folder: all } = this.#settings;
    await rm(join(all, to), { recursive: true, force: true });
    copyData(join(all, from), join(all, to));
  }
}

let folder: string;
let server: RestorableServer;
let object: SqliteStore;
let ledger: Ledger;

beforeAll(async () => {
  const created = await newServer();
  folder = created.folder;
  server = new RestorableServer({ ...created, port: await findFreePort(), isDurable: false });
  await server.start();
  await server.database.migrate();
});

beforeEach(() => {
  instanceId += 1;
  object = new SqliteStore(join(folder, `object-${instanceId}.sqlite`));
  memory = newMemory();
  ledger = new Ledger(instanceId);
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The memory of an isolate, which outlives the restore. */
let memory = newMemory();

const postgres = () => new PostgresDocuments(server.database, memory, () => 1000);

const engines = {
  names: (): EngineName[] => ["object", OTHER],
  transferOf: (name: EngineName) => (name === "object" ? transferOf(object, async () => undefined) : postgres()),
};

const moves = () => new DocumentMoves(ledger, engines, () => 1000);

/** Writes to the engine of the placement, as the Worker does. */
function write(...changes: Parameters<Calls["apply"]>[1]): Promise<unknown> {
  const calls: Pick<Calls, "apply"> = ledger.engine === "object" ? objectOf(object, () => 1000) : postgres();
  return calls.apply(instanceId, changes);
}

/** Returns the documents that the engine of the placement exports. */
async function documents(): Promise<string[]> {
  const calls: Pick<Calls, "exportPage"> = ledger.engine === "object" ? objectOf(object, () => 1000) : postgres();
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: ExportPage = await calls.exportPage(instanceId, after);
    found.push(...page.lines.flatMap((line) => ("document" in line ? [line.document.externalId] : [])));
    if (page.next === null) return found.toSorted();
    after = page.next;
  }
}

async function move(to: EngineName): Promise<void> {
  ledger.begin(to);
  while (ledger.move?.stage !== "moved") await moves().goOn(instanceId, 0);
}

/** Does what `npm run admin -- documents restore-placement` does. */
function restorePlacement(): Promise<boolean> {
  const unused = () => Promise.reject(new Error("something else was decided"));
  const decisions = {
    find: () => ledger.find(),
    placementOf: () => ledger.placementOf(),
    begin: unused,
    cancel: unused,
    erase: unused,
    restorePlacement: async ({ engine, left, turn, was }: RestoredPlacement) => {
      ledger.engine = engine;
      ledger.begin(engine);
      if (ledger.move) {
        ledger.move = { ...ledger.move, turn, move: turn, from: left ?? was.engine, stage: left ? "moved" : "erased" };
      }
      return true;
    },
  };
  return new DocumentActs(
    decisions,
    engines,
    async () => undefined,
    () => 1000,
  ).restorePlacement({ id: instanceId, name: "acme" }, "ada");
}

it("PostgreSQL restored to after a move has the documents of then; restored to before its end, it refuses until the object is, too", async () => {
  await write(put("one"), put("two"));
  await server.backUp("before");
  ledger.begin(OTHER);
  while ((await postgres().transferState(instanceId)).pages === 0) await moves().goOn(instanceId, 0);
  await server.backUp("during");
  object.exec("VACUUM INTO ?1", join(folder, "during.sqlite"));
  while (ledger.move?.stage !== "moved") await moves().goOn(instanceId, 0);
  await write(put("three"));
  await server.backUp("after");
  await write(put("four"), remove("one"));

  await server.restore("after");
  expect(await documents()).toEqual(["one", "three", "two"]);
  expect(await restorePlacement()).toBe(false);

  for (const time of ["before", "during"]) {
    await server.restore(time);
    await expect(documents()).rejects.toThrow("documents_elsewhere");
    await expect(write(put("five"))).rejects.toThrow("documents_elsewhere");
    await expect(restorePlacement()).rejects.toThrow("No engine has the documents");
    expect(ledger.engine).toBe(OTHER);
  }

  object = new SqliteStore(join(folder, "during.sqlite"));
  expect(await restorePlacement()).toBe(true);
  expect(await documents()).toEqual(["one", "two"]);
  await write(put("six"));
  expect(await documents()).toEqual(["one", "six", "two"]);
  await move(OTHER);
  expect(await documents()).toEqual(["one", "six", "two"]);
});

it("PostgreSQL restored to before the documents left it changes nothing, and takes no others until its rows are deleted", async () => {
  await write(put("one"));
  await move(OTHER);
  await write(put("two"));
  await server.backUp("before");
  await move("object");
  await write(remove("two"), put("three"));

  await server.restore("before");
  expect(await documents()).toEqual(["one", "three"]);
  expect(await restorePlacement()).toBe(false);
  expect(await documents()).toEqual(["one", "three"]);

  ledger.begin(OTHER);
  for (let steps = 0; steps < 3; steps += 1) await moves().goOn(instanceId, 0);
  expect(ledger.move).toMatchObject({ stage: "copying", copied: 0 });
  expect(ledger.move?.problem).toContain("the engine has documents of its own");
  if (ledger.move) await ledger.advance(ledger.move, "returning", null);
  while (ledger.move?.stage !== "returned") await moves().goOn(instanceId, 0);
  expect(await documents()).toEqual(["one", "three"]);

  await deleteRows();
  await move(OTHER);
  expect(await documents()).toEqual(["one", "three"]);
});

const person = (name: string) => ({ kind: "person", datasource: "", name: `${name}@acme.example` }) as const;
const [ada, ben, carla] = [person("ada"), person("ben"), person("carla")];

/** Returns who of the three may see the document, according to an isolate that has outlived everything. */
function seers(externalId: string): Promise<(boolean | undefined)[]> {
  const mayBeSeenBy = ({ name: email }: Principal) =>
    postgres().maySee(instanceId, DATASOURCE, externalId, { email, directoryGroups: [] });
  return Promise.all([ada, ben, carla].map(mayBeSeenBy));
}

/** Runs statements while the server keeps running. */
async function run(...statements: readonly string[]): Promise<void> {
  const sql = connect(server.address, { max: 1, onnotice: () => undefined });
  for (const statement of statements) await sql.unsafe(statement).simple();
  await sql.end();
}

/** Deletes an instance's rows as `docs/scaling.md` says. */
async function deleteRows(): Promise<void> {
  const [, statement = ""] = /```sql\n(DO [^`]+)```/.exec(await readFile("docs/scaling.md", "utf8")) ?? [];
  await run(statement.replace("instance_id = 1", `instance_id = ${instanceId}`));
}

/**
 * Copies every row of one schema's tables to another schema, like a dump and its restore. Missing tables are created.
 */
const copyRows = (from: string, into: string) => `DO $$ DECLARE one record; BEGIN
  SET session_replication_role = replica;
  FOR one IN SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relnamespace = '${from}'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition GROUP BY c.relname LOOP
    EXECUTE format('CREATE TABLE IF NOT EXISTS ${into}.%I AS SELECT %s FROM ${from}.%1$I WHERE false', one.name, one.columns);
    EXECUTE format('DELETE FROM ${into}.%I', one.name);
    EXECUTE format('INSERT INTO ${into}.%I (%s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM ${from}.%1$I', one.name, one.columns);
  END LOOP; END $$`;

it("restored PostgreSQL assigns numbers again, and nobody keeps the rights that such a number gave before", async () => {
  await write(put("of ada", [ada]), put("of ben", [ben]), put("of carla", [carla]));
  await move(OTHER);
  await server.backUp("before");
  await write(put("of both", [ada, ben]));
  expect(await seers("of both")).toEqual([true, true, false]);

  await server.restore("before");
  await write(put("secret", [ada, carla]));
  expect(await seers("secret")).toEqual([true, false, true]);
});

it("PostgreSQL whose tables were restored while the server was running keeps no rights of reassigned numbers either", async () => {
  await write(put("of ada", [ada]), put("of ben", [ben]), put("of carla", [carla]));
  await move(OTHER);
  await run("CREATE SCHEMA dumped", copyRows("gatehouse", "dumped"));
  await write(put("of both", [ada, ben]));
  expect(await seers("of both")).toEqual([true, true, false]);

  await run("DROP SCHEMA gatehouse CASCADE");
  await server.database.migrate();
  await run(copyRows("dumped", "gatehouse"), "DROP SCHEMA dumped CASCADE");
  await write(put("secret", [ada, carla]));
  expect(await seers("secret")).toEqual([true, false, true]);
});

it("PostgreSQL that takes an instance again after its rows were deleted keeps no rights of reassigned numbers either", async () => {
  const describe = (name: string) => postgres().changeRights(instanceId, DATASOURCE, { act: "describe group", name });
  const version = () => server.database.read(instanceId, async (rows) => (await instanceOf(rows)).rights);
  await write(put("of ada", [ada]), put("of ben", [ben]), put("of carla", [carla]));
  await move(OTHER);
  await write(put("of both", [ada, ben]));
  for (const name of ["one", "two", "three", "four"]) await describe(name);
  expect(await seers("of both")).toEqual([true, true, false]);
  const before = await version();

  await move("object");
  await write(remove("of both"), put("secret", [ada, carla]));
  await deleteRows();
  await move(OTHER);
  for (let at = await version(); at < before; at += 1) await describe(`later ${at}`);
  expect(await version()).toBe(before);
  expect(await seers("secret")).toEqual([true, false, true]);
});
