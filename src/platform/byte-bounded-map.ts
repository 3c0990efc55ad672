/** What an entry takes in addition to its text: the map's own memory, and the objects that the text makes. */
const ENTRY_BYTES = 1000;

/**
 * A map with a limit of bytes, for documents of other servers that an isolate remembers. A number of entries would be no limit,
 * because their senders choose how large they are. Beyond the limit, the oldest entries are removed.
 */
export class ByteBoundedMap<Key, Value> {
  readonly #bytesMax: number;
  readonly #entries = new Map<Key, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The bytes of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /**
   * Sets an entry. An entry that is set again becomes the newest. One that is larger than the map is not kept.
   *
   * @param characters the length of its key and value as text. A character takes up to two bytes
   */
  set(key: Key, value: Value, characters: number): void {
    const bytes = ENTRY_BYTES + 2 * characters;
    this.delete(key);
    if (bytes > this.#bytesMax) return;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes + bytes <= this.#bytesMax) break;
      this.delete(oldest);
    }
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
  }

  delete(key: Key): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
