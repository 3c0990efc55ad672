import { BLOCK_DOCUMENTS, DOC_VALUE } from "#documents/index-rules.ts";
import type { ContentCheck, SearchableContent } from "#documents/find/access/searchable-content.ts";
import type { DocValues } from "./doc-values.ts";
import { grown } from "./row-bits.ts";

/** The documents that somebody may see and their app may search, one bit each. Only reads blocks of doc values written since the last search. */
export class VisibleSet {
  #bits = new Uint32Array(0);
  #version = 0;
  // By block: how many documents, and how many words in them.
  #counts: number[] = [];
  #lengths: number[] = [];
  #count = 0;
  #length = 0;

  /**
   * Reads what changed.
   *
   * @param classes which classes they hold; those known at the last call must be the same
   * @param content what the app may search, of the same version as at the last call; `null`: everything
   */
  refresh(docValues: DocValues, classes: Uint8Array, content: SearchableContent | null): void {
    if (docValues.version === this.#version) return;
    const changed = docValues.blocksSince(this.#version);
    this.#bits = grown(this.#bits, ((changed.at(-1) ?? 0) + 1) * (BLOCK_DOCUMENTS / 32));
    for (const block of changed) this.#look(block, docValues.numbers, classes, content?.checkOf(block) ?? null);
    this.#version = docValues.version;
  }

  #look(block: number, numbers: Uint32Array, classes: Uint8Array, isSearchable: ContentCheck | null): void {
    let count = 0;
    let length = 0;
    for (let part = 0; part < BLOCK_DOCUMENTS / 32; part++) {
      const first = block * BLOCK_DOCUMENTS + part * 32;
      let held = 0;
      for (let bit = 0; bit < 32; bit++) {
        const at = (first + bit) * DOC_VALUE.size;
        if (classes[numbers[at] ?? 0] !== 1) continue;
        if (isSearchable && !isSearchable(first + bit, numbers[at + DOC_VALUE.kind] ?? 0)) continue;
        held |= 1 << bit;
        count++;
        length += numbers[at + DOC_VALUE.length] ?? 0;
      }
      this.#bits[first >>> 5] = held;
    }
    this.#count += count - (this.#counts[block] ?? 0);
    this.#length += length - (this.#lengths[block] ?? 0);
    this.#counts[block] = count;
    this.#lengths[block] = length;
  }

  get bits(): Uint32Array {
    return this.#bits;
  }

  get count(): number {
    return this.#count;
  }

  /** The number of words in all of them. */
  get length(): number {
    return this.#length;
  }
}
