import type { Reader } from "#app-access/app-access.ts";
import type { Search, Searched } from "#client-api/search/search.ts";
import { readable } from "#documents/words.ts";
import { type Composer, isCited } from "./composer.ts";
import { type Passage, pickPassages } from "./passages.ts";
import { Subject } from "./subject.ts";

/** The most documents in which passages are looked for. */
const CANDIDATES_MAX = 10;

/** How much of each document is read: most as a whole. */
const TEXTS = { textCharacters: 40_000 };

/** The most names in one sentence, so that people read it. */
const NAMES_MAX = 6;

const NAMES_NOTHING = "I can't tell what to look for. Ask again, and name what it is about.";

/** A part of an answer, and the passages that it is taken from. Joined, the parts are the whole answer. */
export interface AnswerPart {
  readonly text: string;
  readonly passages: readonly Passage[];
  /** The same text in pieces, if it quotes passages. */
  readonly pieces?: readonly (string | Passage)[];
}

/** Answers questions with passages of documents that the person may see. */
export class Chat {
  readonly #search: Pick<Search, "search">;
  readonly #composer: Composer | null;

  /** @param composer `null`: answers are the passages themselves */
  constructor(search: Pick<Search, "search">, composer: Composer | null) {
    this.#search = search;
    this.#composer = composer;
  }

  /** Answers what the documents say, or that they say nothing. Makes a single search, whatever is asked. */
  async answer(searched: Searched, reader: Reader, question: string): Promise<readonly AnswerPart[]> {
    const subject = new Subject(question, searched.settings.searchLanguages);
    if (subject.size === 0) return [remark(NAMES_NOTHING)];
    const asked = { query: subject.query, pageSize: CANDIDATES_MAX };
    const { documents, correctedWords, wordWeights, synonyms } = await this.#search.search(
      searched,
      reader,
      asked,
      TEXTS,
    );
    for (const { typed, found } of correctedWords) subject.alsoCall([typed], found);
    for (const { words, synonyms: others } of synonyms ?? []) for (const one of others) subject.alsoCall(words, one);
    if (wordWeights) subject.weigh(wordWeights);
    const { passages, missing } = pickPassages(documents, subject);
    if (passages.length === 0 && subject.isJoining) return [remark(NAMES_NOTHING)];
    if (passages.length === 0) {
      const isTogether = missing.size === 0 && subject.size > 1;
      const names = isTogether
        ? `${listOf(subject.namesAt(subject.places), "conjunction")} together`
        : listOf(subject.namesAt(missing.size > 0 ? missing : subject.places));
      return [remark(`I found nothing about ${names} in the documents that you can see. Try other words.`)];
    }
    const composed = await this.#composer?.compose(question, passages);
    if (composed && isCited(composed, passages)) return [{ text: composed, passages }];
    const quotations = passages.map(quotation);
    if (missing.size === 0) return quotations;
    return [...quotations, remark(`\n\nI found nothing about ${listOf(subject.namesAt(missing))}.`)];
  }
}

/** Quotes a passage, with its source. Nothing in the title looks like the number of another source. */
function quotation(passage: Passage, at: number): AnswerPart {
  const title = readable(passage.document.title);
  const line = title.replace(/[\s\u0085]+/g, " ").replace(/\[(\d+)\]/g, "($1)");
  const source = passage.text === title ? "" : ` (${line})`;
  const before = at === 0 ? "" : "\n\n";
  const after = `${source} [${at + 1}]`;
  return { text: before + passage.text + after, passages: [passage], pieces: [before, passage, after] };
}

function remark(text: string): AnswerPart {
  return { text, passages: [] };
}

function listOf(names: readonly string[], type: "conjunction" | "disjunction" = "disjunction"): string {
  const quoted = names.slice(0, NAMES_MAX).map((name) => `“${name}”`);
  return new Intl.ListFormat("en", { type }).format(quoted);
}
