import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SCHEMA_VERSION } from "#platform/schema-version.ts";
import { afterEach, describe, expect, it } from "vitest";
import { readSchema } from "../../scripts/admin/schema-files.ts";
import { lacking, tablesAfter } from "../../scripts/admin/schema-tables.ts";

/** Returns the differences between schema.sql and a database upgraded step by step from the first released version. */
async function lackingAfterSteps(root?: URL): Promise<string[]> {
  const { whole, released, steps } = await readSchema(root);
  const upgraded = tablesAfter(released ?? whole, ...steps.map(({ statements }) => statements));
  return [...lacking(tablesAfter(whole), upgraded), ...lacking(upgraded, tablesAfter(whole))];
}

describe("schema.sql and the steps in schema/", () => {
  it("make the same tables", async () => {
    expect(await lackingAfterSteps()).toEqual([]);
  });

  it("number the versions without gaps, and make a table that stores the version", async () => {
    const { newest, whole, steps } = await readSchema();
    expect(newest).toBe(steps.length + 1);
    expect(newest).toBe(SCHEMA_VERSION);
    expect([...tablesAfter(whole).keys()]).toContain("table schema_versions");
  });
});

describe("a made-up schema with steps", () => {
  let root: string;

  afterEach(() => rm(root, { recursive: true }));

  const released = "CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT, UNIQUE (b));";
  const newest = "CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT, c TEXT, UNIQUE (b)); CREATE INDEX by_c ON a (c);";

  async function make(whole: string, steps: Readonly<Record<string, string>>): Promise<URL> {
    root = await mkdtemp(join(tmpdir(), "gatehouse-schema-"));
    await mkdir(join(root, "schema"));
    await writeFile(join(root, "schema.sql"), whole);
    for (const [name, text] of Object.entries(steps)) await writeFile(join(root, "schema", name), text);
    return pathToFileURL(`${root}/`);
  }

  it("passes if the steps make the same tables as schema.sql", async () => {
    const step = "-- Oldest reader: 1\nALTER TABLE a ADD COLUMN c TEXT; CREATE INDEX by_c ON a (c);";
    expect(await lackingAfterSteps(await make(newest, { "0001-released.sql": released, "0002-c.sql": step }))).toEqual(
      [],
    );
  });

  it("fails if a step forgets something, or makes something that schema.sql does not", async () => {
    const forgetful = await make(newest, {
      "0001-released.sql": released,
      "0002-c.sql": "-- Oldest reader: 1\nALTER TABLE a ADD COLUMN c TEXT;",
    });
    expect(await lackingAfterSteps(forgetful)).toEqual(["index by_c"]);
    await rm(root, { recursive: true });
    const eager = await make(released, {
      "0001-released.sql": released,
      "0002-c.sql": "-- Oldest reader: 2\nCREATE TABLE d (id INTEGER);",
    });
    expect(await lackingAfterSteps(eager)).toEqual(["table d"]);
  });

  it.each([
    ["a gap", { "0001-released.sql": released, "0003-c.sql": "SELECT 1;" }],
    ["no version to start from", { "0002-c.sql": "SELECT 1;" }],
    ["the same number twice", { "0001-released.sql": released, "0002-c.sql": "SELECT 1;", "0002-d.sql": "SELECT 1;" }],
    ["a number without a name", { "0001.sql": released }],
  ])("is refused as out of order with %s", async (_name, steps: Record<string, string>) => {
    await expect(readSchema(await make(newest, steps))).rejects.toThrow(/out of order/);
  });

  it("is split at the ends of statements, but not inside strings, comments or triggers", async () => {
    const trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a WHERE b = ';'; SELECT 1; END";
    const { whole } = await readSchema(await make(`-- A; b\n${released} ;\n/* c; */ ${trigger};\n-- end;\n`, {}));
    expect(whole).toEqual([released.slice(0, -1), trigger]);
  });

  it.each(["", "-- Oldest reader: 3\n", "-- Oldest reader: 0\n"])(
    "is refused unless a step says which code can serve its tables: %j",
    async (line) => {
      const steps = { "0001-released.sql": released, "0002-c.sql": `${line}ALTER TABLE a ADD COLUMN c TEXT;` };
      await expect(readSchema(await make(newest, steps))).rejects.toThrow("which code can serve its tables");
    },
  );

  it("is refused if a statement does not run, with the name of the file", async () => {
    const steps = { "0001-released.sql": released, "0002-c.sql": "-- Oldest reader: 1\nDROP INDEX by_c;" };
    await expect(readSchema(await make(newest, steps))).rejects.toThrow("schema/0002-c.sql: statement 1 does not run");
  });
});
