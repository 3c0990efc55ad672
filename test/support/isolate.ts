import { env as bindings } from "cloudflare:workers";
import { memoryCache, memoryCounters } from "./memory-bindings.ts";
import { testDatabase } from "./test-database.ts";

/** Miniflare's bindings, which stand for Cloudflare's. Tests check that the replacements behave like these. */
export { bindings as genuine };

/**
 * The Worker's bindings. Its services are cached by this object, so each test file has its own object and thereby an isolate with
 * an empty memory, although the Worker's modules are evaluated once for all files. Storage other than the documents' is replaced
 * by something that behaves the same and costs less, unless `DATABASE=d1` selects Miniflare's.
 */
export let env: Cloudflare.Env = beginWorld();

/** Begins an isolate with an empty memory, and an empty database. */
export function beginIsolate(): void {
  env = beginWorld();
}

function beginWorld(): Cloudflare.Env {
  if (bindings.DATABASE !== "object") return { ...bindings };
  const name = crypto.randomUUID();
  const object = bindings.TEST_DATABASES.getByName(name);
  const database = testDatabase(object);
  return { ...bindings, ...memoryCounters(), CACHE: memoryCache(), DB: database as unknown as D1Database };
}
