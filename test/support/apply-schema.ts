import { reset } from "cloudflare:test";
import { DocumentsObject } from "#index.ts";
import { afterAll, vi } from "vitest";
import { beginIsolate, env, genuine } from "./isolate.ts";
import { keepLog } from "./kept-log.ts";

/**
 * Gives each test file an empty world, although all files share one workerd and its modules: starting one for each file costs 0.8
 * s, and evaluating the modules again 0.5 s. The clock is the real one, storage and rate limits are empty, and the Worker's
 * memory is cleared. The tables are created again: the object that has them does so as soon as a test needs one.
 */
keepLog();
vi.useRealTimers();
requireGenuineTimers();
afterAll(() => void vi.useRealTimers());
await emptyStorage();
beginIsolate();
if (env.DATABASE === "d1") await env.DB.batch(env.SCHEMA.map((statement) => env.DB.prepare(statement)));
// The platform wakes objects with its own bindings, whose D1 has no tables. So moves of documents only continue by the tests' calls.
else Object.assign(DocumentsObject.prototype, { goOnMoving: () => Promise.resolve(null) });

/** Empties storage. A D1 that was just under load can survive its deletion, and the next file would get it. */
async function emptyStorage(): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    await reset();
    if (env.DATABASE !== "d1") return;
    const left = await genuine.DB.prepare(
      "SELECT count(*) AS n FROM sqlite_master WHERE name = 'instances'",
    ).first<number>("n");
    if (left === 0) return;
  }
  throw new Error("the database of the file before is still there");
}

/** All files of a worker share its globals, and the code under test would wait forever for a timer that a test has left behind. */
function requireGenuineTimers(): void {
  const shared = globalThis as { genuineTimeout?: typeof setTimeout };
  shared.genuineTimeout ??= setTimeout;
  if (setTimeout !== shared.genuineTimeout) throw new Error("an earlier test file has replaced setTimeout for good");
}
