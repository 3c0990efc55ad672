/**
 * A map with a limit, for what an isolate remembers of what callers send. Beyond the limit, the oldest entry is removed.
 */
export class BoundedMap<Key, Value> {
  readonly #entriesMax: number;
  readonly #entries = new Map<Key, Value>();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /**
   * Sets an entry. An entry that is set again becomes the newest.
   *
   * @param entriesMax the most entries that the map may have with this one, for an entry that is larger than others
   */
  set(key: Key, value: Value, entriesMax = this.#entriesMax): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= Math.min(entriesMax, this.#entriesMax)) return;
      this.#entries.delete(oldest);
    }
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
