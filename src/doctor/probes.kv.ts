/** KV takes nothing that is to live shorter than a minute. */
const KEPT_SECONDS = 60;

/** Whether the cache takes and gives; the service itself goes on without, so elsewhere a failure is not seen. */
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
