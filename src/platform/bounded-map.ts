/** What an isolate remembers of what callers send: at most so many entries, of which the oldest goes first. */
export class BoundedMap<Key, Value> {
  readonly #entriesMax: number;
  readonly #entries = new Map<Key, Value>();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** An entry that is set again is the newest again. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#entriesMax) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
