/** Numbers that the table has at first: two a word. */
const SIZE_MIN = 1 << 13;

/** In how many documents words are, by the words' hashes: a map of numbers takes five times as long. */
export class WordTable {
  /** Of a word its hash, and then the number of documents; the place of no word has zeros. */
  #table = new Uint32Array(SIZE_MIN);
  #size = 0;

  /** How many words there are. */
  get size(): number {
    return this.#size;
  }

  /** @param hashes of a document's words */
  add(hashes: Uint32Array): void {
    for (let at = 0; at < hashes.length; at++) {
      const hash = hashes[at] ?? 0;
      const place = placeIn(this.#table, hash);
      const documents = this.#table[place + 1] ?? 0;
      this.#table[place + 1] = documents + 1;
      if (documents > 0) continue;
      this.#table[place] = hash;
      // Half of the places are free, so a word's is soon found.
      if (++this.#size * 4 > this.#table.length) this.#grow();
    }
  }

  /** So many of the words that most of the documents have; of equals the first. */
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

/** Where a word is, or would be. */
function placeIn(table: Uint32Array, hash: number): number {
  const last = table.length - 1;
  let place = (hash << 1) & last;
  while (table[place + 1] !== 0 && table[place] !== hash) place = (place + 2) & last;
  return place;
}
