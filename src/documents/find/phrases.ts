import { INDEXED_CHARACTERS_MAX, quoted } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import { rowOf } from "#documents/words.ts";
import type { DocumentTexts } from "#documents/write/word-counts.ts";
import type { SlotWords } from "./forms.ts";
import type { FindLimits } from "./limits.ts";
import type { AskedWords, Phrase, Question } from "./question.ts";

type TextCheck = (text: string) => boolean;

/** Expressions for FTS5, which consist of quoted words only. */

export function anyWordOf(words: readonly string[]): string {
  return `(${words.map(quoted).join(" OR ")})`;
}

/** Returns an expression for documents with all words, the unfinished one or a completion of it, and all phrases. */
export function togetherExpression(words: readonly SlotWords[], { phrases, unwanted }: Question): string {
  const inPhrases = new Set(phrases.flatMap((phrase) => phrase.words));
  const alone = words.filter(({ word }) => !inPhrases.has(word));
  return without(
    [...alone.map(({ word, completions }) => anyWordOf([word, ...completions])), ...phrases.map(inARow)],
    unwanted,
  );
}

/** Returns an expression for documents with everything that was in quotes; `null`: nothing was. */
export function requiredExpression(words: readonly SlotWords[], { phrases, unwanted }: Question): string | null {
  const required = phrases.filter(({ isRequired }) => isRequired);
  const inPhrases = new Set(required.flatMap((phrase) => phrase.words));
  const alone = words.filter(({ word, isRequired }) => isRequired && !inPhrases.has(word));
  const parts = [...alone.map(({ word }) => quoted(word)), ...required.map(inARow)];
  return parts.length === 0 ? null : without(parts, unwanted);
}

function without(parts: readonly string[], unwanted: Question["unwanted"]): string {
  const all = parts.join(" AND ");
  return unwanted.length === 0
    ? all
    : `(${all}) NOT (${unwanted.map((words) => quoted(words.join(" "))).join(" OR ")})`;
}

function inARow({ words }: Phrase): string {
  return quoted(words.join(" "));
}

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
    // Nobody asked to leave out documents without a phrase that wasn't quoted.
    if (lines === null) return this.#required.length + this.#unwanted.length > 0 ? null : false;
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

/** Documents whose texts are read at once, and the most bytes of each body. A larger document is read by itself. */
const READ_TOGETHER = 50;
const READ_BYTES = 8000;

/** Returns a reader of stored texts. It reads many at once, because a statement costs more than a text. */
export function storedTexts(store: Store): TextsOf {
  const read = new Map<number, DocumentTexts>();
  const readAll = (rows: readonly number[], bytes: number | null) => {
    for (const { id, ...texts } of store.exec<DocumentTexts & { id: number }>(
      `SELECT d.id, d.title, d.keywords, d.metadata_words AS metadata, substr(d.body, 1, ${INDEXED_CHARACTERS_MAX}) AS body
       FROM json_each(?1) r CROSS JOIN documents d ON d.id = r.value WHERE ?2 IS NULL OR octet_length(d.body) <= ?2`,
      JSON.stringify(rows),
      bytes,
    )) {
      read.set(id, texts);
    }
  };
  return (row, next) => {
    if (!read.has(row)) {
      read.clear();
      readAll(next().slice(0, READ_TOGETHER), READ_BYTES);
    }
    if (!read.has(row)) readAll([row], null);
    return read.get(row);
  };
}
