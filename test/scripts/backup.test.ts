import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Keyring } from "#crypto/keyring.ts";
import { OWN_TABLES, restoreDatabase } from "../../scripts/admin/backup.ts";
import { readBackupFile } from "../../scripts/admin/backup-file.ts";
import { explainFailure } from "../../scripts/admin/failures.ts";
import { readSchema, schemaAt } from "../../scripts/admin/schema-files.ts";
import { dataTablesAfter } from "../../scripts/admin/schema-tables.ts";
import { applySchema, readStatus } from "../../scripts/admin/schema-versions.ts";
import { runAdmin } from "../../scripts/admin.ts";
import { openAdmin, openD1, type TestAdmin } from "../support/node/admin-database.ts";

/** More rows than a backup reads at once. */
const MANY = 603;

let folder: string;
let source: TestAdmin;
let target: TestAdmin;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-backup-"));
  source = openAdmin();
  target = openAdmin(source.bindings.MASTER_KEYS);
  file = join(folder, "backup.jsonl");
  await run(source, "schema apply");
  await run(source, "instance create acme --admin ada@acme.example");
  await run(source, "token create acme --kind indexing --scope documents:wiki --expires-in-days 1 --name x");
  await source.bindings.DB.prepare(
    `INSERT INTO failures (instance_id, at, request_id, path, reason)
     WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ?1)
     SELECT (SELECT id FROM instances), n, 'request ' || n, '/', 'it''s "quoted"\n\u2028 and — long' FROM number`,
  )
    .bind(MANY)
    .run();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("npm run admin -- backup", () => {
  it("writes every row to a file that only its owner can read", async () => {
    await run(source, `backup write ${file} --only database`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [head = "", ...rows] = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(JSON.parse(head)).toMatchObject({ backup: "gatehouse", version: (await readSchema()).newest });
    expect(rows.filter((row) => row.startsWith('{"table":"failures",'))).toHaveLength(MANY);
    expect(rows.findIndex((row) => row.startsWith('{"table":"people"'))).toBeLessThan(
      rows.findIndex((row) => row.startsWith('{"table":"instances"')),
    );
  });

  it("refuses to overwrite a file", async () => {
    expect(await refusal(source, `backup write ${file} --only database`)).toMatch(/already exists$/);
  });

  it("refuses to restore a file that is no backup, or one of a newer version", async () => {
    await run(target, "schema apply");
    const other = join(folder, "other.jsonl");
    await writeFile(other, '{"table":"instances","row":{}}\n');
    expect(await refusal(target, `backup restore ${other}`)).toMatch(/is not a Gatehouse backup$/);
    await writeFile(other, '{"backup":"gatehouse","version":99}\n');
    expect(await refusal(target, `backup restore ${other}`)).toMatch(/of version 99/);
    expect(await refusal(target, `backup restore ${other}.gone`)).toMatch(/can.t be read$/);
  });

  it("refuses to restore a truncated or damaged file, and writes nothing", async () => {
    const text = await readFile(file, "utf8");
    const lines = text.trimEnd().split("\n");
    const other = join(folder, "damaged.jsonl");
    const damages: readonly [string, RegExp][] = [
      [text.slice(0, text.length / 2), /is incomplete: it was truncated/],
      [`${lines.slice(0, -1).join("\n")}\n`, /is incomplete/],
      [text.replace("ada@acme.example", "eve@acme.example"), /is damaged/],
      [[...lines.slice(0, 5), ...lines.slice(6)].join("\n"), /is damaged/],
    ];
    for (const [damaged, message] of damages) {
      await writeFile(other, damaged);
      expect(await refusal(target, `backup restore ${other}`)).toMatch(message);
    }
    expect(await rowsOf(target, "instances")).toEqual([]);
  });

  it("refuses to restore a file that was not made with the master keys, except with --unverified", async () => {
    const [head, ...lines] = (await readFile(file, "utf8")).trimEnd().split("\n");
    const rows = lines.slice(0, -1).map((line) => `${line.replace("ada@acme.example", "eve@acme.example")}\n`);
    const sha256 = createHash("sha256").update(rows.join("")).digest("hex");
    const { mac } = (JSON.parse(lines.at(-1) ?? "") as { end: { mac: string } }).end;
    const forged = join(folder, "forged.jsonl");
    for (const end of [{ mac }, { mac: "" }, {}]) {
      await writeFile(
        forged,
        `${head}\n${rows.join("")}${JSON.stringify({ end: { lines: rows.length, sha256, ...end } })}\n`,
      );
      expect(await refusal(target, `backup restore ${forged} --only database`)).toMatch(/was changed, or not made/);
    }
    const stranger = openAdmin();
    await run(stranger, "schema apply");
    expect(await refusal(stranger, `backup restore ${file} --only database`)).toMatch(/not made with a key/);
    expect(await rowsOf(target, "instances")).toEqual([]);
    await run(stranger, `backup restore ${forged} --only database --unverified`);
    expect(await rowsOf(stranger, "people")).toMatchObject([{ email: "eve@acme.example" }]);
  });

  it("restores every row into an empty database", async () => {
    await run(target, `backup restore ${file} --only database`);
    for (const { name } of dataTablesAfter((await readSchema()).whole)) {
      if (OWN_TABLES.has(name)) continue;
      expect({ name, rows: await rowsOf(target, name) }).toEqual({ name, rows: await rowsOf(source, name) });
    }
    await run(target, "person list acme");
  });

  it("continues an interrupted restore", async () => {
    await target.bindings.DB.prepare("DELETE FROM failures WHERE rowid % 2 = 0").run();
    expect(await run(target, `backup restore ${file} --only database`)).toMatchObject({ rows: Math.floor(MANY / 2) });
    expect(await rowsOf(target, "failures")).toEqual(await rowsOf(source, "failures"));
    expect(await run(target, `backup restore ${file} --only database`)).toMatchObject({ rows: 0 });
  });

  it("restores an instance that has just changed, and says after a whole restore that nothing is left", async () => {
    const changed = join(folder, "changed.jsonl");
    await run(source, "settings set acme displayName=Changed");
    await source.bindings.DB.exec("UPDATE people SET deactivated_at = 1; UPDATE people SET deactivated_at = NULL;");
    expect((await rowsOf(source, "policy_changes")).length).toBeGreaterThan(1);
    await run(source, `backup write ${changed} --only database`);
    const fresh = openAdmin(source.bindings.MASTER_KEYS);
    await run(fresh, "schema apply");
    const failing =
      "CREATE TRIGGER fails BEFORE INSERT ON failures WHEN new.at = 550 BEGIN SELECT RAISE(ABORT, 'cut'); END";
    await fresh.bindings.DB.exec(failing);
    expect(await refusal(fresh, `backup restore ${changed} --only database`)).not.toBe("nothing was refused");
    await fresh.bindings.DB.exec("DROP TRIGGER fails");
    await fresh.bindings.DB.exec("INSERT INTO maintenance_runs (id, ran_at, failed) VALUES (1, 1, '[]')");
    await run(fresh, `backup restore ${changed} --only database`);
    for (const table of ["instances", "people", "failures", "audit"]) {
      expect(await rowsOf(fresh, table)).toEqual(await rowsOf(source, table));
    }
    await run(fresh, "token create acme --kind indexing --scope documents:new --expires-in-days 1 --name later");
    const said: string[] = [];
    const print = (text: string) => void said.push(text);
    await run({ ...fresh, print }, `backup restore ${changed} --only database`);
    expect(said.join("\n")).toContain("The database has all rows of the backup: nothing is left to restore.");
  });

  it("restores a copy that sends no audit entries and no alerts, and can be completed like any other", async () => {
    const copied = join(folder, "copied.jsonl");
    const receivers = "auditReceiver=https://collector.example/events alertReceiver=https://collector.example/alerts";
    await run(source, `settings set acme ${receivers}`);
    await source.bindings.DB.exec(
      "INSERT INTO audit_deliveries (instance_id, delivered_through, failures, next_at) SELECT id, 0, 0, 1 FROM instances; " +
        "INSERT INTO alerts (instance_id, receiver, levels, audit_after, checked_at) SELECT id, 'x', '{}', 0, 1 FROM instances",
    );
    await run(source, `backup write ${copied} --only database`);
    const copy = openAdmin(source.bindings.MASTER_KEYS);
    await run(copy, `backup restore ${copied} --only database --copy`);
    const { settings } = (await rowsOf(copy, "instances"))[0] as { settings: string };
    expect(JSON.parse(settings)).toMatchObject({ displayName: "Changed" });
    expect(settings).not.toContain("collector");
    for (const table of ["audit_deliveries", "alerts"]) expect(await rowsOf(copy, table)).toEqual([]);
    expect(await rowsOf(copy, "people")).toEqual(await rowsOf(source, "people"));
    expect(await run(copy, `backup restore ${copied} --only database --copy`)).toMatchObject({ rows: 0 });
  });

  it("restores exactly what it checked, even if somebody changes the file in between", async () => {
    const copy = join(folder, "swapped.jsonl");
    const text = await readFile(file, "utf8");
    await writeFile(copy, text);
    const { newest } = await readSchema();
    const backup = await readBackupFile(copy, newest, new Keyring(source.bindings.MASTER_KEYS));
    const swaps = [
      text.replaceAll("ada@acme.example", "eve@evil.example"),
      text.slice(0, text.length / 2),
      "",
      `${text}${text}`,
    ];
    for (const swapped of swaps) {
      await writeFile(copy, swapped);
      const given: string[] = [];
      const reading = (async () => {
        for await (const line of backup.lines()) given.push(line);
      })();
      await expect(reading).rejects.toThrow(/was changed after it was checked/);
      expect(given.filter((line) => !text.includes(line))).toEqual([]);
    }
  });

  it("restores a backup of an earlier version into a database without tables, and upgrades it", async () => {
    const { whole } = await readSchema();
    const statements = [
      "ALTER TABLE failures ADD COLUMN seen INTEGER NOT NULL DEFAULT 0",
      "UPDATE failures SET seen = length(request_id)",
    ];
    const step = { version: 2, name: "0002-seen.sql", oldestReader: 1, statements };
    const later = { newest: 2, whole: [...whole, ...statements], steps: [step], released: whole };
    const backup = await readBackupFile(file, later.newest, new Keyring(source.bindings.MASTER_KEYS));
    const [fresh, upgraded] = [openD1(), openD1()];
    await fresh.exec("CREATE TABLE other (id INTEGER)");
    await expect(restoreDatabase(fresh, later, backup)).rejects.toThrow("no schema version");
    await fresh.exec("DROP TABLE other");
    await applySchema(fresh, schemaAt(later, 1), 0);
    const failing =
      "CREATE TRIGGER fails BEFORE INSERT ON failures WHEN new.at = 550 BEGIN SELECT RAISE(ABORT, 'cut'); END";
    await fresh.exec(failing);
    await expect(restoreDatabase(fresh, later, backup)).rejects.toThrow("D1 failed");
    await fresh.exec("DROP TRIGGER fails");
    expect(await restoreDatabase(fresh, later, backup)).toBeGreaterThan(0);
    const counts = "SELECT count(*) AS rows, count(*) FILTER (WHERE seen = length(request_id)) AS seen FROM failures";
    expect(await fresh.prepare(counts).first()).toEqual({ rows: MANY, seen: MANY });
    expect(await readStatus(fresh, later)).toEqual({ version: 2, lacks: [] });
    await applySchema(upgraded, later, 0);
    for (const database of [fresh, upgraded]) {
      await expect(restoreDatabase(database, later, backup)).rejects.toThrow("into a database without tables");
    }
  });

  it("refuses to restore into a database with other rows", async () => {
    await run(target, "settings set acme displayName=Other");
    expect(await refusal(target, `backup restore ${file}`)).toMatch(/has rows in \w+ that are not in the backup/);
  });
});

function run(admin: TestAdmin, command: string) {
  return runAdmin(command.split(" "), admin);
}

function refusal(admin: TestAdmin, command: string): Promise<string> {
  return run(admin, command).then(() => "nothing was refused", explainFailure);
}

async function rowsOf({ bindings }: TestAdmin, table: string): Promise<unknown[]> {
  return (await bindings.DB.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()).results;
}
