import type { PublicCache } from "./public-cache.ts";

/** Long enough to survive another server's outage of a week. The content is public. */
const KEPT_SECONDS = 7 * 24 * 3600;

/**
 * The public cache in KV, which may be stale or fail. A failure counts as "not cached", so that the caller fetches from the source.
 */
export class KvPublicCache implements PublicCache {
  readonly #namespace: KVNamespace;

  constructor(namespace: KVNamespace) {
    this.#namespace = namespace;
  }

  async read<Value>(key: string): Promise<Value | null> {
    try {
      return await this.#namespace.get<Value>(key, "json");
    } catch {
      return null;
    }
  }

  async write(key: string, value: unknown): Promise<void> {
    try {
      await this.#namespace.put(key, JSON.stringify(value), { expirationTtl: KEPT_SECONDS });
    } catch {
      // The next request fetches again.
    }
  }
}
