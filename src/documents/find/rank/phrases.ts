import type { FindLimits } from "#documents/find/limits.ts";
import type { AskedWords } from "#documents/find/query/question.ts";
import { rowOf } from "#documents/words.ts";
import type { DocumentTexts } from "#documents/write/word-counts.ts";

type TextCheck = (text: string) => boolean;

/** Reads a document's indexed texts. `next` returns which documents' texts are needed next, this one first. */
export type TextsOf = (row: number, next: () => readonly number[]) => DocumentTexts | undefined;

/**
 * Checks whether documents whose words are known contain these as phrases. Their texts are read for it, so only the first documents are
 * checked, as far as the limits allow. Documents beyond the limits count as not having the phrases.
 */
export class PhraseCheck {
  readonly #lengthOf: (row: number) => number;
  readonly #textsOf: TextsOf;
  readonly #required: readonly TextCheck[];
  readonly #loose: readonly TextCheck[];
  readonly #unwanted: readonly TextCheck[];
  readonly #known = new Set<number>();
  #expected: readonly number[] = [];
  #documents: number;
  #words: number;
  #unchecked = 0;

  constructor(
    { phrases, unwanted }: AskedWords,
    limits: Pick<FindLimits, "checked" | "checkedWords">,
    lengthOf: (row: number) => number,
    textsOf: TextsOf,
  ) {
    this.#lengthOf = lengthOf;
    this.#textsOf = textsOf;
    this.#documents = limits.checked;
    this.#words = limits.checkedWords;
    this.#required = phrases.filter(({ isRequired }) => isRequired).map(({ words }) => rowOf(words));
    this.#loose = phrases.filter(({ isRequired }) => !isRequired).map(({ words }) => rowOf(words));
    this.#unwanted = unwanted.filter((words) => words.length > 1).map(rowOf);
  }

  /** How many documents were beyond the limits. */
  get unchecked(): number {
    return this.#unchecked;
  }

  /** Notes documents that have all phrases and no unwanted one, according to the index. */
  know(rows: readonly number[]): void {
    for (const row of rows) this.#known.add(row);
  }

  /** Notes which documents will be checked, and in which order, so that texts can be read together. */
  expect(asked: readonly { readonly row: number; readonly mayHaveAll: boolean }[]): void {
    this.#expected = asked.flatMap(({ row, mayHaveAll }) => (this.#isRead(row, mayHaveAll) ? [row] : []));
  }

  #isRead(row: number, mayHaveAll: boolean): boolean {
    const phrases = this.#required.length + this.#unwanted.length + (mayHaveAll ? this.#loose.length : 0);
    return phrases > 0 && !this.#known.has(row);
  }

  /**
   * Returns whether a document has all phrases; `null`: it has an unwanted phrase or lacks a quoted one, or may, because it is beyond
   * the limits.
   *
   * @param mayHaveAll whether its words leave that possible
   */
  verdict(row: number, mayHaveAll: boolean): boolean | null {
    if (this.#known.has(row)) return true;
    if (!this.#isRead(row, mayHaveAll)) return mayHaveAll;
    const lines = this.#linesOf(row);
    if (lines === null) {
      this.#unchecked++;
      // Nobody asked to leave out documents without a phrase that wasn't quoted.
      return this.#required.length + this.#unwanted.length > 0 ? null : false;
    }
    const holds = (phrase: TextCheck) => lines.some(phrase);
    if (this.#unwanted.some(holds) || !this.#required.every(holds)) return null;
    return mayHaveAll && this.#loose.every(holds);
  }

  /** Returns a document as texts that no phrase spans; `null`: too many documents were checked. */
  #linesOf(row: number): readonly string[] | null {
    this.#words -= this.#lengthOf(row);
    if (this.#documents-- <= 0 || this.#words < 0) return null;
    const texts = this.#textsOf(row, () => this.#expected.slice(Math.max(this.#expected.indexOf(row), 0)));
    if (!texts) return null;
    const { title, keywords, metadata, body } = texts;
    return [title, ...keywords.split("\n"), ...metadata.split("\n"), body];
  }
}
