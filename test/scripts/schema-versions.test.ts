import { beforeEach, describe, expect, it } from "vitest";
import { explainFailure } from "../../scripts/admin/failures.ts";
import { readSchema, type Schema } from "../../scripts/admin/schema-files.ts";
import { tablesAfter } from "../../scripts/admin/schema-tables.ts";
import { applySchema, readStatus } from "../../scripts/admin/schema-versions.ts";
import { openD1 } from "../support/node/admin-database.ts";

const NOW = 1_800_000_000;

const { whole } = await readSchema();
const today: Schema = { newest: 1, whole, steps: [] };

/** Tables that the steps below use. Making all tables would take too long in each test. */
const MET = /CREATE TABLE (IF NOT EXISTS )?(instances|people|sessions|schema_versions)\b/;
const released: Schema = { ...today, whole: whole.filter((statement) => MET.test(statement)) };

/** Made-up steps of the usual kinds: add a column, fill a table from others, recreate a table. */
const later: Schema = withSteps(
  [
    1,
    "0002-tags.sql",
    "ALTER TABLE instances ADD COLUMN tags TEXT NOT NULL DEFAULT 'none'",
    "CREATE TABLE reports (instance_id INTEGER PRIMARY KEY REFERENCES instances (id), name TEXT NOT NULL)",
  ],
  [
    1,
    "0003-reports.sql",
    "INSERT INTO reports (instance_id, name) SELECT id, name || ' ' || tags FROM instances",
    "CREATE INDEX reports_by_name ON reports (name)",
  ],
  [
    4,
    "0004-people.sql",
    "PRAGMA defer_foreign_keys = ON",
    "CREATE TABLE people_before AS SELECT * FROM people",
    "DROP TABLE people",
    "CREATE TABLE people (id TEXT PRIMARY KEY, instance_id INTEGER NOT NULL, email TEXT NOT NULL CHECK (email <> ''))",
    "INSERT INTO people (id, instance_id, email) SELECT id, instance_id, email FROM people_before",
    "DROP TABLE people_before",
  ],
);

let database: D1Database;

describe("schema apply and schema status", () => {
  beforeEach(() => {
    database = openD1();
  });

  it("make all tables at the newest version in an empty database, and change nothing the next time", async () => {
    expect(await readStatus(database, later)).toEqual({ version: null, lacks: [] });
    expect(await applySchema(database, later, NOW)).toEqual({ applied: [4] });
    expect(await rows("SELECT version, applied_at FROM schema_versions")).toEqual([{ version: 4, applied_at: NOW }]);
    expect(await readStatus(database, later)).toEqual({ version: 4, lacks: [] });
    expect(await applySchema(database, later, NOW + 1)).toEqual({ applied: [] });
    expect(await rows("SELECT version, applied_at FROM schema_versions")).toEqual([{ version: 4, applied_at: NOW }]);
  });

  it("apply the missing steps in order to an older database, and keep its data", async () => {
    await makeReleased();
    expect(await applySchema(database, later, NOW + 9)).toEqual({ applied: [2, 3, 4] });
    expect(await rows("SELECT name, tags FROM instances")).toEqual([{ name: "acme", tags: "none" }]);
    expect(await rows("SELECT name FROM reports")).toEqual([{ name: "acme none" }]);
    expect(await rows("SELECT id, email FROM people")).toEqual([{ id: "p1", email: "ada@acme.example" }]);
    expect(await rows("SELECT secret_hash, person_id FROM sessions")).toEqual([{ secret_hash: "h", person_id: "p1" }]);
    expect(await rows("SELECT version, applied_at FROM schema_versions")).toEqual([
      { version: 1, applied_at: NOW },
      ...[2, 3, 4].map((version) => ({ version, applied_at: NOW + 9 })),
    ]);
    expect(await readStatus(database, later)).toEqual({ version: 4, lacks: [] });
  });

  it("undo every statement of a step that fails, and keep the version before it", async () => {
    await makeReleased();
    const broken = withSteps(
      [1, "0002-tags.sql", "ALTER TABLE instances ADD COLUMN tags TEXT"],
      [1, "0003-torn.sql", "DELETE FROM sessions", "CREATE TABLE torn (id INTEGER)", "INSERT INTO nowhere VALUES (1)"],
    );
    expect(await refusalOf(applySchema(database, broken, NOW))).toMatch(
      /^0003-torn\.sql failed, and its changes were undone\. The database is still at version 2\. .*nowhere/,
    );
    expect(await rows("SELECT max(version) AS version FROM schema_versions")).toEqual([{ version: 2 }]);
    expect(await rows("SELECT secret_hash FROM sessions")).toEqual([{ secret_hash: "h" }]);
    expect(await rows("SELECT name FROM sqlite_master WHERE name = 'torn'")).toEqual([]);
  });

  it("undo a step that would leave a row without the row that it refers to", async () => {
    await makeReleased();
    const orphaning = withSteps([1, "0002-orphans.sql", "PRAGMA defer_foreign_keys = ON", "DELETE FROM people"]);
    expect(await refusalOf(applySchema(database, orphaning, NOW))).toContain("still at version 1");
    expect(await rows("SELECT id FROM people")).toEqual([{ id: "p1" }]);
  });

  it("apply each step only once when several run at the same time", async () => {
    await makeReleased();
    const runs = await Promise.all([1, 2, 3, 4].map(() => applySchema(database, later, NOW)));
    expect(runs.flatMap(({ applied }) => applied).sort((left, right) => left - right)).toEqual([2, 3, 4]);
    expect(await rows("SELECT count(*) AS reports FROM reports")).toEqual([{ reports: 1 }]);
  });

  it("make the tables only once when several find the database empty at the same time", async () => {
    const runs = await Promise.all([1, 2, 3].map(() => applySchema(database, later, NOW)));
    expect(runs.flatMap(({ applied }) => applied)).toEqual([4]);
  });

  it("leave a database as it is that is newer than the code, if it can serve the tables", async () => {
    const readable = withSteps([1, "0002-tags.sql", "ALTER TABLE instances ADD COLUMN tags TEXT"]);
    await applySchema(database, readable, NOW);
    expect(await applySchema(database, released, NOW)).toEqual({ applied: [] });
    expect(await readStatus(database, released)).toEqual({ version: 2, lacks: [] });
  });

  it("refuse one that the code can't serve, however it got there", async () => {
    await makeReleased();
    await applySchema(database, later, NOW);
    const sentence = "The database is at version 4, and this code knows 1: it needs code that knows 4 or newer";
    expect(await refusalOf(applySchema(database, released, NOW))).toBe(sentence);
    expect(await refusalOf(readStatus(database, released))).toBe(sentence);
  });

  it("refuse a database that has tables but no version, and change nothing", async () => {
    await database.prepare("CREATE TABLE customers (id INTEGER)").run();
    expect(await refusalOf(applySchema(database, released, NOW))).toMatch(/has tables but no schema version/);
    expect(await rows("SELECT count(*) AS tables FROM sqlite_master WHERE name = 'instances'")).toEqual([
      { tables: 0 },
    ]);
  });

  it("report tables and indexes that are missing or different, but not those that were added", async () => {
    await applySchema(database, today, NOW);
    expect(await readStatus(database, today)).toEqual({ version: 1, lacks: [] });
    await database.prepare("CREATE INDEX people_by_name ON people (name)").run();
    await database.prepare("DROP INDEX grants_by_person").run();
    await database.prepare("ALTER TABLE clients ADD COLUMN colour TEXT").run();
    expect(await readStatus(database, today)).toEqual({
      version: 1,
      lacks: ["table clients", "index grants_by_person"],
    });
  });
});

/** Makes a database at version 1, with some rows. */
async function makeReleased(): Promise<void> {
  await applySchema(database, released, NOW);
  await database.batch([
    database.prepare("INSERT INTO instances (id, name, settings, created_at) VALUES (1, 'acme', '{}', 1)"),
    database.prepare(
      "INSERT INTO people (id, instance_id, email, name, created_at) VALUES ('p1', 1, 'ada@acme.example', 'Ada', 1)",
    ),
    database.prepare(
      "INSERT INTO sessions (secret_hash, instance_id, person_id, created_at, expires_at) VALUES ('h', 1, 'p1', 1, 2)",
    ),
  ]);
}

/** Returns a schema with these steps after the released version. Its whole is what the steps make. */
function withSteps(...steps: [oldestReader: number, name: string, ...statements: string[]][]): Schema {
  const numbered = steps.map(([oldestReader, name, ...statements], index) => {
    return { version: index + 2, name, oldestReader, statements };
  });
  return {
    newest: steps.length + 1,
    whole: [...released.whole, ...steps.flatMap(([, , ...all]) => all)],
    steps: numbered,
  };
}

async function rows(statement: string): Promise<unknown[]> {
  return (await database.prepare(statement).all()).results;
}

async function refusalOf(act: Promise<unknown>): Promise<string> {
  return act.then(() => "nothing was refused", explainFailure);
}

describe("comparing the tables that statements make", () => {
  it("finds no difference if a column is added later, or if the SQL is formatted otherwise", () => {
    const start =
      "CREATE TABLE \"a\" (id INTEGER PRIMARY KEY, -- a comment, with a comma\n b TEXT CHECK (b IN ('x', 'y')), UNIQUE (b))";
    const added = tablesAfter([start, "ALTER TABLE a ADD COLUMN c TEXT"]);
    expect(added).toEqual(
      tablesAfter([
        "CREATE TABLE IF NOT EXISTS a (id INTEGER PRIMARY KEY, c  TEXT,\n b TEXT CHECK (b IN ('x','y')), UNIQUE (b))",
      ]),
    );
  });

  it.each([
    ["another type", "CREATE TABLE a (id INTEGER, b INTEGER)"],
    ["another check", "CREATE TABLE a (id INTEGER, b TEXT CHECK (b <> ''))"],
    ["another kind of table", "CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT) WITHOUT ROWID"],
  ])("finds a difference with %s", (_name, statement) => {
    expect(tablesAfter([statement])).not.toEqual(tablesAfter(["CREATE TABLE a (id INTEGER, b TEXT)"]));
  });
});
