import { COMPLETED, wordsOf } from "#documents/find/tally.ts";
import type { WordHash } from "#documents/word-hash.ts";
import type { Instance } from "#documents-postgres/instance.ts";
import { levelToken, pairTokens, wordToken } from "#documents-postgres/tokens.ts";
import { EPOCHS_BEHIND_MAX, epochsBetween } from "#documents-postgres/upkeep/postings.ts";
import type { FoundWords } from "./forms.ts";

/** A single word. */
export interface Single {
  /** The word's hash as a signed number, as in the tables. */
  readonly hash: number;
  readonly token: number;
  /** How many documents have it. */
  readonly documents: number;
  /** The same at each level. */
  readonly levels: readonly number[];
  readonly tokenAt: (level: number) => number;
  /** Tokens of the epochs whose documents aren't in its postings; `null` if it has no postings that can be used. */
  readonly unposted: readonly number[] | null;
  /** The same for its holders. */
  readonly ungathered: readonly number[] | null;
}

/**
 * Returns the tokens of the epochs after `last`, the last one whose documents are in a word's postings or holders.
 *
 * @returns `null` if the word has none that can be used
 */
export function epochsSince(
  instanceId: number,
  { epoch, areEpochsTold, isEpochEmpty }: Instance,
  last: number,
): readonly number[] | null {
  if (last === 0 || !areEpochsTold || epoch - last > EPOCHS_BEHIND_MAX) return null;
  // The present epoch counts as well, unless nothing was written in it yet.
  return epochsBetween({ instanceId }, last, isEpochEmpty ? epoch : epoch + 1);
}

/** The lists of the index that find a search's words. */
export class Lists {
  readonly #instanceId: number;
  readonly #instance: Instance;
  readonly #hash: WordHash;
  readonly #found: FoundWords;
  /** The most documents missing from postings that are looked for in the index. */
  readonly unpostedMax: number;

  constructor(instanceId: number, instance: Instance, hash: WordHash, found: FoundWords, unpostedMax: number) {
    this.#instanceId = instanceId;
    this.#instance = instance;
    this.#hash = hash;
    this.#found = found;
    this.unpostedMax = unpostedMax;
  }

  get slots(): number {
    return this.#found.words.length;
  }

  wordsOf(slot: number, way: number): readonly string[] {
    return wordsOf(this.#found.words[slot], way);
  }

  /** Returns the tokens of the words that stand for a slot's word, in a way. */
  tokens(slot: number, way: number): readonly number[] {
    return this.wordsOf(slot, way).map((word) => this.token(word));
  }

  token(word: string): number {
    return wordToken(this.#instanceId, this.#hash(word));
  }

  /** Returns the tokens of the pairs of words that are neighbours. */
  pairTokens(words: readonly string[]): readonly number[] {
    return pairTokens(this.#instanceId, words.map(this.#hash));
  }

  /** Returns the tokens for all slots, with how many documents have each, visible or not. */
  sought(way: number): ReadonlyMap<number, number> {
    const words = this.#found.words.flatMap((_, slot) => this.wordsOf(slot, way));
    return new Map(words.map((word) => [this.token(word), this.#found.frequencyOf(word).documents]));
  }

  /** Returns at most how many documents contain one of a slot's words, visible or not. */
  entries(slot: number, way: number): number {
    return this.wordsOf(slot, way).reduce((sum, word) => sum + this.#found.frequencyOf(word).documents, 0);
  }

  level(slot: number, way: number, level: number): { readonly tokens: readonly number[]; readonly entries: number } {
    const words = this.wordsOf(slot, way);
    return {
      tokens: words.map((word) => levelToken(this.#instanceId, this.#hash(word), level)),
      entries: words.reduce((sum, word) => sum + (this.#found.frequencyOf(word).levels[level] ?? 0), 0),
    };
  }

  /** Returns the words that stand for a slot's word. */
  single(slot: number, way: number): readonly Single[] {
    return this.wordsOf(slot, way).map((word) => {
      const hash = this.#hash(word);
      const { documents, levels, posted = 0, gathered = 0 } = this.#found.frequencyOf(word);
      return {
        hash: hash | 0,
        token: wordToken(this.#instanceId, hash),
        documents,
        levels,
        tokenAt: (level) => levelToken(this.#instanceId, hash, level),
        unposted: this.#since(posted),
        ungathered: this.#since(gathered),
      };
    });
  }

  #since(last: number): readonly number[] | null {
    return epochsSince(this.#instanceId, this.#instance, last);
  }

  /** Checks whether several words stand for one. */
  hasAlternatives(way: number): boolean {
    return this.#found.words.some((_, slot) => this.wordsOf(slot, way).length > 1);
  }

  /** The number of documents that contain the rarest slot's word, and so the most that contain all words. */
  get rarest(): number {
    return Math.min(...this.#found.words.map((_, slot) => this.entries(slot, COMPLETED)));
  }
}
