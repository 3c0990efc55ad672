/** The initial length of the table, which has two numbers per word. */
const SIZE_MIN = 1 << 13;

/** Counts in how many documents words are, by their hashes. A Map of numbers would take five times as long. */
export class WordTable {
  /** For each word its hash, then the number of documents. A free place has zeros. */
  #table = new Uint32Array(SIZE_MIN);
  #size = 0;

  /** The number of different words. */
  get size(): number {
    return this.#size;
  }

  /** Counts the words of one document. @param hashes those of its words */
  add(hashes: Uint32Array): void {
    for (let at = 0; at < hashes.length; at++) {
      const hash = hashes[at] ?? 0;
      const place = placeIn(this.#table, hash);
      const documents = this.#table[place + 1] ?? 0;
      this.#table[place + 1] = documents + 1;
      if (documents > 0) continue;
      this.#table[place] = hash;
      // At least half of the places are free, so a word is found quickly.
      if (++this.#size * 4 > this.#table.length) this.#grow();
    }
  }

  /** Returns those `max` of the words that most documents contain, the first ones if equal. */
  commonestOf<Word>(words: readonly Word[], hashOf: (word: Word) => number, max: number): readonly Word[] {
    return words
      .map((word) => ({ word, documents: this.#table[placeIn(this.#table, hashOf(word)) + 1] ?? 0 }))
      .filter(({ documents }) => documents > 0)
      .sort((one, other) => other.documents - one.documents)
      .slice(0, max)
      .map(({ word }) => word);
  }

  #grow(): void {
    const all = this.#table;
    const grown = new Uint32Array(all.length * 2);
    for (let at = 0; at < all.length; at += 2) {
      const documents = all[at + 1] ?? 0;
      if (documents === 0) continue;
      const hash = all[at] ?? 0;
      const place = placeIn(grown, hash);
      grown[place] = hash;
      grown[place + 1] = documents;
    }
    this.#table = grown;
  }
}

/** Returns where a word is, or would be stored. */
function placeIn(table: Uint32Array, hash: number): number {
  const last = table.length - 1;
  let place = (hash << 1) & last;
  while (table[place + 1] !== 0 && table[place] !== hash) place = (place + 2) & last;
  return place;
}
