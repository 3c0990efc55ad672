import type { SeeForward } from "#documents/find/forward.ts";
import type { Dimensions } from "#documents/find/rank.ts";
import { placeOf } from "#documents/index-rules.ts";
import type { Candidate } from "./found.ts";
import type { Forward } from "./known-forwards.ts";

interface Entry extends Candidate {
  readonly forward: Forward;
}

/** Documents to score, with their forward entries. */
export class Entries implements Dimensions {
  readonly #entries: ReadonlyMap<number, Entry>;

  constructor(entries: Iterable<Entry> = []) {
    this.#entries = new Map(Array.from(entries, (entry) => [entry.id, entry]));
  }

  has(id: number): boolean {
    return this.#entries.has(id);
  }

  /** Returns these documents and the others. */
  with(others: Entries): Entries {
    return new Entries([...this.#entries.values(), ...others.#entries.values()]);
  }

  lengthOf(id: number): number {
    return this.#entries.get(id)?.length ?? 0;
  }

  dayOf(id: number): number {
    return this.#entries.get(id)?.day ?? 0;
  }

  /** Returns how many different words a document has. */
  wordsOf(id: number): number {
    return this.#entries.get(id)?.forward.counts.length ?? 0;
  }

  forwardOf(id: number): Forward | undefined {
    return this.#entries.get(id)?.forward;
  }

  /** Returns the places in a document's entry of those words that the document has. */
  placesOf(id: number, words: readonly number[]): readonly number[] {
    const entry = this.#entries.get(id);
    return entry ? words.map((hash) => placeOf(entry.forward.hashes, hash)).filter((place) => place >= 0) : [];
  }

  /** Calls `see` with each document's words and their packed counts. */
  each(see: SeeForward): void {
    for (const { id, forward } of this.#entries.values()) see(id, forward.hashes, forward.counts);
  }

  /**
   * Calls `see` with some of the documents, with the words' stretches after their counts, eight bytes for each word.
   */
  eachWithStretches(stretches: ReadonlyMap<number, Uint8Array>, ids: readonly number[], see: SeeForward): void {
    for (const id of ids) {
      const forward = this.forwardOf(id);
      const bits = stretches.get(id);
      if (!forward || !bits) continue;
      const known = new Uint8Array(forward.counts.length + bits.length);
      known.set(forward.counts);
      known.set(bits, forward.counts.length);
      see(id, forward.hashes, known);
    }
  }
}
