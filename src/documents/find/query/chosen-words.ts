import type { Language } from "#documents/languages.ts";
import { stemOf } from "#documents/stems.ts";
import { type Store, unpeeked } from "#documents/store.ts";
import type { EligibleSet } from "#documents/find/collect/eligible-set.ts";
import { isBeginning } from "./forms.ts";
import type { SlotWords } from "./slot-words.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import type { Postings } from "#documents/find/collect/postings.ts";
import type { Slot } from "./question.ts";
import type { Reading } from "#documents/find/reading.ts";
import { firstWordsOf } from "#documents/find/collect/rows.ts";

/** Words that are looked up together. */
const WORDS_A_LOOK = 32;

/** Reading a word of the vocabulary costs as much as reading this many entries. */
const ENTRIES_OF_A_WORD = 2;

/** How far words were read from the vocabulary. */
interface Progress {
  after: string;
  isDone: boolean;
  /** Alphabetically while they are read, and then by length. */
  readonly words: string[];
  /** How many of these were looked for in documents. */
  looked: number;
  /** Those that were found. */
  readonly seen: string[];
}

/**
 * Chooses completions and forms of words: the shortest that the person may see. The vocabulary also has words of other documents, as many
 * as somebody planted. So it is read to the end, and no word takes the place of one that the person may see.
 */
export class ChosenWords {
  readonly #store: Store;
  readonly #postings: Postings;
  readonly #reading: Reading;
  readonly #eligible: EligibleSet;
  readonly #limits: FindLimits;

  constructor(store: Store, postings: Postings, reading: Reading, eligible: EligibleSet, limits: FindLimits) {
    this.#store = store;
    this.#postings = postings;
    this.#reading = reading;
    this.#eligible = eligible;
    this.#limits = limits;
  }

  /** Adds completions and forms to a word. */
  of(slot: Slot, languages: readonly Language[]): SlotWords {
    const { word, isRequired } = slot;
    const completions = isBeginning(slot) ? this.#completionsOf(word) : [];
    return { ...slot, forms: isRequired ? completions : [...completions, ...this.#formsOf(word, languages)] };
  }

  #completionsOf(beginning: string): readonly string[] {
    return this.#chosen(`beginning ${beginning}`, this.#limits.completions, (after, max) =>
      firstWordsOf(
        this.#store,
        `SELECT word FROM vocabulary WHERE word > ?1 AND word < ?2 ORDER BY word LIMIT ${unpeeked("?3")}`,
        after === "" ? beginning : after,
        `${beginning}\u{10ffff}`,
        max,
      ),
    );
  }

  #formsOf(word: string, languages: readonly Language[]): readonly string[] {
    const stems = languages.map((language) => [language, stemOf(word, language)]).filter(([, stem]) => stem !== null);
    if (stems.length === 0) return [];
    return this.#chosen(`forms ${word}`, this.#limits.forms, (after, max) =>
      firstWordsOf(
        this.#store,
        `SELECT DISTINCT v.word FROM json_each(?1) l CROSS JOIN stems s ON s.language = l.value ->> 0 AND s.stem = l.value ->> 1
         CROSS JOIN vocabulary v ON v.id = s.word
         WHERE v.word <> ?2 AND v.word > ?3 ORDER BY v.word LIMIT ${unpeeked("?4")}`,
        JSON.stringify(stems),
        word,
        after,
        max,
      ),
    );
  }

  /**
   * Reads words to the end, and chooses the shortest.
   *
   * @param next returns words in alphabetical order, after one
   */
  #chosen(what: string, max: number, next: (after: string, max: number) => readonly string[]): readonly string[] {
    const progress = this.#reading.of(
      what,
      (): Progress => ({ after: "", isDone: false, words: [], looked: 0, seen: [] }),
    );
    while (!progress.isDone) {
      this.#reading.requireTurn();
      const words = next(progress.after, this.#limits.vocabulary);
      progress.words.push(...words);
      progress.after = words.at(-1) ?? "";
      // Long words are read in more than one step.
      progress.isDone = words.length === 0;
      // Sorted however many there are: words that only others may read must not change the order.
      if (progress.isDone) progress.words.sort((one, other) => one.length - other.length);
      this.#reading.note(words.length * ENTRIES_OF_A_WORD);
    }
    // Words that only others may read find nothing, so as few words as these may all stay, whoever can read them.
    if (progress.words.length <= max) return progress.words;
    const { words, seen } = progress;
    // A turn goes on where the last one ended.
    for (; progress.looked < words.length && seen.length < max; progress.looked += WORDS_A_LOOK) {
      seen.push(...this.#seenAmong(words.slice(progress.looked, progress.looked + WORDS_A_LOOK), max - seen.length));
    }
    return seen;
  }

  /** Returns the first of the words that an eligible document contains. */
  #seenAmong(words: readonly string[], max: number): string[] {
    if (max <= 0 || words.length === 0) return [];
    if (!this.#postings.hasAny(words, this.#eligible)) return [];
    if (words.length === 1) return [...words];
    const half = words.length >> 1;
    const first = this.#seenAmong(words.slice(0, half), max);
    return [...first, ...this.#seenAmong(words.slice(half), max - first.length)];
  }
}
