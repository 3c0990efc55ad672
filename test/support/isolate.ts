import { env as bindings } from "cloudflare:workers";
import { memoryCache, memoryCounters } from "./memory-bindings.ts";
import { secondEngine } from "./second-engine.ts";
import { testDatabase } from "./test-database.ts";

/** Miniflare's own, which stand for Cloudflare's: what the tests have in their place is held to them. */
export { bindings as genuine };

/**
 * The Worker's bindings. Its services remember by this object, so each test file has one of its own and with it an isolate that
 * remembers nothing, although the Worker's modules are evaluated once for all files. Other storage than the documents' is replaced by what
 * answers alike and costs less, unless `DATABASE=d1` asks for Miniflare's.
 */
export let env: Cloudflare.Env = beginWorld();

/** Begins an isolate that remembers nothing of what was before, and an empty database. */
export function beginIsolate(): void {
  env = beginWorld();
}

function beginWorld(): Cloudflare.Env {
  const second = { DOCUMENTS_SECOND: secondEngine(() => bindings.DOCUMENTS) };
  if (bindings.DATABASE !== "object") return { ...bindings, ...second };
  const name = crypto.randomUUID();
  const object = bindings.TEST_DATABASES.getByName(name);
  const database = testDatabase(object);
  return { ...bindings, ...second, ...memoryCounters(), CACHE: memoryCache(), DB: database as unknown as D1Database };
}
