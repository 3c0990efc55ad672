import { listDurableObjectIds, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";

/**
 * Gives each test file an empty world, although all files share one workerd: starting one for each costs 0.8 s.
 * Storage and rate limits are emptied, modules forget what they cached, and the tables are made again.
 */
vi.resetModules();
await emptyStorage();
await env.DB.batch(env.SCHEMA.map((statement) => env.DB.prepare(statement)));

/** A database that has just worked hard can outlive its deletion; the next one takes it. */
async function emptyStorage(): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    await reset();
    const tables = "SELECT count(*) AS n FROM sqlite_master WHERE name = 'instances'";
    const left = await env.DB.prepare(tables).first<number>("n");
    if (left === 0 && (await objectsWithDocuments()) === 0) return;
  }
  throw new Error("the storage of the file before is still there");
}

/** Objects that still hold documents of the file before. */
async function objectsWithDocuments(): Promise<number> {
  let holding = 0;
  for (const id of await listDurableObjectIds(env.DOCUMENTS)) {
    const rows = await runInDurableObject(env.DOCUMENTS.get(id), (_object, { storage }) =>
      storage.sql.exec("SELECT 1 FROM documents LIMIT 1").toArray(),
    );
    holding += rows.length;
  }
  return holding;
}
