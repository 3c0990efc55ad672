import type { FindLimits } from "#documents/find/limits.ts";
import type { AskedWords } from "#documents/find/query/question.ts";
import { rowOf } from "#documents/words.ts";
import type { DocumentTexts } from "#documents/write/word-counts.ts";

/** Reads the indexed texts of documents. */
export type TextsOf = (rows: readonly number[]) => Iterable<DocumentTexts & { readonly id: number }>;

/** A document, and whether its words leave it possible that it has all phrases. */
interface Checked {
  readonly row: number;
  readonly hasAll: boolean;
}

/**
 * Checks whether documents whose words are known contain these as phrases. Their texts are read for it, so only the first documents are
 * checked, as far as the limits allow. Documents beyond the limits count as not having the phrases.
 */
export class PhraseCheck {
  readonly #question: Pick<AskedWords, "phrases" | "unwanted">;
  readonly #limits: Pick<FindLimits, "checked" | "checkedWords">;
  readonly #lengthOf: (row: number) => number;
  readonly #textsOf: TextsOf;
  readonly #known: ReadonlySet<number>;
  /** How many documents were beyond the limits. */
  unchecked = 0;

  /** @param known documents that have all phrases and no unwanted one, according to the index */
  constructor(
    question: Pick<AskedWords, "phrases" | "unwanted">,
    limits: Pick<FindLimits, "checked" | "checkedWords">,
    lengthOf: (row: number) => number,
    textsOf: TextsOf,
    known: readonly number[] = [],
  ) {
    this.#question = question;
    this.#limits = limits;
    this.#lengthOf = lengthOf;
    this.#textsOf = textsOf;
    this.#known = new Set(known);
  }

  /**
   * Returns whether documents have all phrases, by row; `null`: a document has an unwanted phrase or lacks a quoted one, or may, because it
   * is beyond the limits.
   *
   * @param documents best first
   */
  verdicts(documents: readonly Checked[]): ReadonlyMap<number, boolean | null> {
    const { phrases, unwanted } = this.#question;
    const required = phrases.filter(({ isRequired }) => isRequired).map(({ words }) => rowOf(words));
    const loose = phrases.filter(({ isRequired }) => !isRequired).map(({ words }) => rowOf(words));
    const excluded = unwanted.filter((words) => words.length > 1).map(rowOf);
    const isStrict = required.length + excluded.length > 0;
    const verdicts = new Map<number, boolean | null>();
    const unread = new Map<number, boolean>();
    for (const { row, hasAll } of documents) {
      if (this.#known.has(row)) verdicts.set(row, true);
      else if (isStrict || (hasAll && loose.length > 0)) unread.set(row, hasAll);
      else verdicts.set(row, hasAll);
    }
    // Nobody asked to leave out documents without a phrase that wasn't quoted.
    for (const row of unread.keys()) verdicts.set(row, isStrict ? null : false);
    const read = this.#within([...unread.keys()]);
    this.unchecked += unread.size - read.length;
    for (const { id, title, keywords, metadata, body } of this.#textsOf(read)) {
      // No phrase spans two of these.
      const lines = [title, ...keywords.split("\n"), ...metadata.split("\n"), body];
      const holds = (phrase: (text: string) => boolean) => lines.some(phrase);
      const isAllowed = !excluded.some(holds) && required.every(holds);
      verdicts.set(id, isAllowed ? unread.get(id) === true && loose.every(holds) : null);
    }
    return verdicts;
  }

  /** Returns the first of the documents, as many as may be read. */
  #within(rows: readonly number[]): readonly number[] {
    let words = this.#limits.checkedWords;
    const beyond = rows.findIndex((row, at) => at >= this.#limits.checked || (words -= this.#lengthOf(row)) < 0);
    return beyond < 0 ? rows : rows.slice(0, beyond);
  }
}
