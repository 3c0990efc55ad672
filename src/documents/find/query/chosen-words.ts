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

/** Chooses up to `max` of the words: those that most of the documents contain which the person may see. */
export type Commonest = (words: readonly string[], max: number) => readonly string[];

/** From this length on, few enough words begin the same to look each up. */
const SOUGHT_LENGTH_MIN = 3;

/** Words that are looked up together. */
const WORDS_A_LOOK = 200;

/** Reading a word of the vocabulary costs as much as reading this many entries. */
const ENTRIES_OF_A_WORD = 2;

/** Words of the vocabulary that were read, and those of them that are chosen. */
interface Progress {
  after: string;
  count: number;
  isDone: boolean;
  chosen: readonly string[];
  readonly others: string[];
}

/**
 * Chooses completions and forms of words: those that most of what the person may see contains. The vocabulary also has words of other
 * documents, as many as somebody planted. So it is read to the end, and no word takes the place of one that the person may see.
 */
export class ChosenWords {
  readonly #store: Store;
  readonly #postings: Postings;
  readonly #reading: Reading;
  readonly #eligible: EligibleSet;
  readonly #commonest: Commonest;
  readonly #limits: FindLimits;

  constructor(
    store: Store,
    postings: Postings,
    reading: Reading,
    eligible: EligibleSet,
    commonest: Commonest,
    limits: FindLimits,
  ) {
    this.#store = store;
    this.#postings = postings;
    this.#reading = reading;
    this.#eligible = eligible;
    this.#commonest = commonest;
    this.#limits = limits;
  }

  /** Adds completions and forms to a word. */
  of(slot: Slot, languages: readonly Language[]): SlotWords {
    const { word, isRequired } = slot;
    return {
      ...slot,
      completions: isBeginning(slot) ? this.#completionsOf(word) : [],
      forms: isRequired ? [] : this.#formsOf(word, languages),
    };
  }

  #completionsOf(beginning: string): readonly string[] {
    const isSought = Array.from(beginning).length >= SOUGHT_LENGTH_MIN;
    return this.#chosen(`beginning ${beginning}`, this.#limits.completions, isSought, (after, max) =>
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
    return this.#chosen(`forms ${word}`, this.#limits.forms, true, (after, max) =>
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
   * Reads words to the end, and chooses the most common. If documents that weren't read may have others, these fill up what is left of
   * `max`, in alphabetical order.
   *
   * @param isSought whether there are few enough words to look for those
   * @param next returns words in alphabetical order, after one
   */
  #chosen(
    what: string,
    max: number,
    isSought: boolean,
    next: (after: string, max: number) => readonly string[],
  ): readonly string[] {
    const { narrowWords, vocabulary } = this.#limits;
    const isNarrow = this.#eligible.rows !== null;
    const isAllSeen = isNarrow && this.#isAllLearnt();
    // Words that only others may read find nothing, so as few words as these may all stay, whoever can read them.
    const few = isAllSeen ? narrowWords : isSought ? max : 0;
    const progress = this.#reading.of(
      what,
      (): Progress => ({ after: "", count: 0, isDone: false, chosen: [], others: [] }),
    );
    while (!progress.isDone) {
      this.#reading.requireTurn();
      const words = next(progress.after, vocabulary);
      const all = [...progress.chosen, ...words];
      progress.count += words.length;
      progress.chosen = progress.count <= few ? all : this.#commonest(all, isNarrow ? narrowWords : max);
      if (isSought && !isAllSeen) progress.others.push(...words);
      progress.after = words.at(-1) ?? "";
      // Long words are read in more than one step.
      progress.isDone = words.length === 0;
      this.#reading.note(words.length * ENTRIES_OF_A_WORD);
    }
    if (progress.chosen.length >= max || progress.others.length === 0) return progress.chosen;
    const chosen = new Set(progress.chosen);
    const others = progress.others.filter((word) => !chosen.has(word));
    return [...progress.chosen, ...this.#seenAmong(others, max - progress.chosen.length)];
  }

  /** Checks whether the words of all eligible documents were read. */
  #isAllLearnt(): boolean {
    const { count, averageLength } = this.#eligible;
    return count * averageLength <= this.#limits.learnt * NARROW_TIMES;
  }

  /** Returns the first of the words that an eligible document contains. */
  #seenAmong(words: readonly string[], max: number): string[] {
    if (max <= 0 || words.length === 0) return [];
    if (words.length > WORDS_A_LOOK) {
      const seen: string[] = [];
      for (let from = 0; from < words.length && seen.length < max; from += WORDS_A_LOOK) {
        seen.push(...this.#seenAmong(words.slice(from, from + WORDS_A_LOOK), max - seen.length));
      }
      return seen;
    }
    if (!this.#postings.hasAny(words, this.#eligible)) return [];
    if (words.length === 1) return [...words];
    const half = words.length >> 1;
    const first = this.#seenAmong(words.slice(0, half), max);
    return [...first, ...this.#seenAmong(words.slice(half), max - first.length)];
  }
}

/** If all eligible documents are scored, this many times as many words of documents are read. */
export const NARROW_TIMES = 16;
