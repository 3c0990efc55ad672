/**
 * `npm run release -- --fixture 1.0.0`: fills an instance with one of everything and writes what this release stores to
 * `test/fixtures/releases/1.0.0/`, which the tests of every later version upgrade. What it overwrites was never released.
 */
import { globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { runAdmin } from "../../../../scripts/admin.ts";
import { readSchema } from "../../../../scripts/admin/schema-files.ts";
import { newMasterKeys } from "../admin-database.ts";
import { bundleWorker } from "../bundled-worker.ts";
import { deployWorkers } from "../deployed-worker.ts";
import { fillInstance } from "./filled-instance.ts";
import { countRows, observe } from "./observed.ts";
import { type Recorded, STORED } from "./released-state.ts";
import { textOf } from "./sqlite-text.ts";

/** Tables that may be empty: what is in progress for minutes, and what only a move of documents or a scheduled run writes. */
const MAY_BE_EMPTY = new Set([
  "usage_counts",
  "failures",
  "alerts",
  "document_moves",
  "maintenance_runs",
  "session_sign_ins",
  "sessions",
  "linked_accounts",
  "spent_ids",
]);

// The log isn't for whoever runs this.
console.info = console.warn = console.error = () => undefined;

const folder = await mkdtemp(join(tmpdir(), "gatehouse-fixture-"));
const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("Name the release: npm run release -- --fixture 1.0.0");
const fixture = `test/fixtures/releases/${version}`;
const masterKeys = newMasterKeys();
const deployments = await deployWorkers(await bundleWorker(), masterKeys, ["released"], { folder });
try {
  const secrets = await fillInstance(deployments.of.released, folder);
  const observed = await observe(deployments.of.released, secrets);
  const counts = await countRows(deployments.of.released.admin.bindings.DB, (await readSchema()).whole);
  const empty = Object.keys(counts).filter((table) => counts[table] === 0 && !MAY_BE_EMPTY.has(table));
  if (empty.length > 0)
    throw new Error(`The instance has nothing in ${empty.join(", ")}: fill it in filled-instance.ts`);
  await mkdir(fixture, { recursive: true });
  const backup = join(folder, "backup.jsonl");
  await runAdmin(["backup", "write", backup, "--url", deployments.of.released.baseUrl], deployments.of.released.admin);
  await writeFile(join(fixture, "backup.jsonl.gz"), gzipSync(await readFile(backup), { level: 9 }));
  await deployments.stop();
  const files = Object.fromEntries(Object.entries(STORED).map(([name, pattern]) => [name, storedIn(pattern)]));
  const recorded: Recorded = { masterKeys, secrets, counts, observed, files: files as Recorded["files"] };
  await writeFile(join(fixture, "recorded.json"), `${JSON.stringify(recorded)}\n`);
  for (const [name, file] of Object.entries(files)) {
    const database = new DatabaseSync(join(folder, file));
    const text = textOf(database);
    database.close();
    await writeFile(join(fixture, `${name}.sql`), text);
    process.stderr.write(`${fixture}/${name}.sql: ${(text.length / 1024).toFixed(0)} kB\n`);
  }
} finally {
  await deployments.stop().catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}

/** Returns the one file in which the runtime stores a database, relative to its folder. */
function storedIn(pattern: string): string {
  const [file, ...others] = globSync(join(folder, pattern)).filter((path) => !path.endsWith("metadata.sqlite"));
  if (file === undefined || others.length > 0) throw new Error(`not one file is ${pattern}`);
  return relative(folder, file);
}
