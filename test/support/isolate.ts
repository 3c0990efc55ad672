import { env as bindings } from "cloudflare:workers";

/**
 * The Worker's bindings. Its services remember by this object, so each test file has one of its own and with it an isolate that
 * remembers nothing, although the Worker's modules are evaluated once for all files.
 */
export let env: Cloudflare.Env = { ...bindings };

/** Begins an isolate that remembers nothing of what was before. */
export function beginIsolate(): void {
  env = { ...bindings };
}
