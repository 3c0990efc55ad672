/** KV accepts no expiry below 60 seconds. */
const KEPT_SECONDS = 60;

/** Checks that the cache works. The service works without it, so nothing else would reveal a failure. */
export class KvProbe {
  readonly #namespace: KVNamespace;

  constructor(namespace: KVNamespace) {
    this.#namespace = namespace;
  }

  async echo(word: string): Promise<string | null> {
    await this.#namespace.put("doctor", word, { expirationTtl: KEPT_SECONDS });
    return this.#namespace.get("doctor", "text");
  }
}
