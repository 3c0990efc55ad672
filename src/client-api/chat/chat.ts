import type { Reader } from "#app-access/app-access.ts";
import type { Search, Searched } from "#client-api/search/search.ts";
import { readable } from "#documents/words.ts";
import { type Composer, isCited } from "./composer.ts";
import { type Passage, pickPassages } from "./passages.ts";
import { Subject } from "./subject.ts";

/** The most documents in which passages are looked for. */
const CANDIDATES_MAX = 10;

/** How much of each document is read around the best match: some paragraphs. */
const EXCERPT_CHARACTERS = 1200;

/** The most names in one sentence, so that people read it. */
const NAMES_MAX = 6;

const NAMES_NOTHING = "I can't tell what to look for. Ask again, and name what it is about.";

const NOT_TOGETHER = "I found nothing about all of this together. These passages come closest.";

/** A part of an answer, and the passages that it is taken from. Joined, the parts are the whole answer. */
export interface AnswerPart {
  readonly text: string;
  readonly passages: readonly Passage[];
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
    const asked = { query: subject.query, pageSize: CANDIDATES_MAX, maxSnippetSize: EXCERPT_CHARACTERS };
    const { documents, correctedWords } = await this.#search.search(searched, reader, asked);
    for (const { typed, found } of correctedWords) subject.spell(typed, found);
    const { passages, isWeak } = pickPassages(documents, subject);
    if (passages.length === 0 && subject.isJoining) return [remark(NAMES_NOTHING)];
    if (passages.length === 0) {
      const names = listOf(subject.namesWithout(new Set()));
      return [remark(`I found nothing about ${names} in the documents that you can see. Try other words.`)];
    }
    const composed = await this.#composer?.compose(question, passages);
    if (composed && isCited(composed, passages)) return [{ text: composed, passages }];
    const found = documents.map(({ title, excerpt }) => `${readable(title)}\n${excerpt.text}`).join("\n");
    const missing = subject.namesWithout(subject.heldBy(found));
    if (missing.length === 0 && !isWeak) return passages.map(quotation);
    const lacking = missing.length === 0 ? NOT_TOGETHER : `I found nothing about ${listOf(missing)}.`;
    // Somebody who reads only the first sentence must not mistake text about something else for the answer.
    return isWeak
      ? [remark(`${lacking}\n\n`), ...passages.map(quotation)]
      : [...passages.map(quotation), remark(`\n\n${lacking}`)];
  }
}

function quotation(passage: Passage, at: number): AnswerPart {
  const title = readable(passage.document.title);
  const source = passage.text === title ? "" : ` (${title})`;
  return { text: `${at === 0 ? "" : "\n\n"}${passage.text}${source} [${at + 1}]`, passages: [passage] };
}

function remark(text: string): AnswerPart {
  return { text, passages: [] };
}

function listOf(names: readonly string[]): string {
  const quoted = names.slice(0, NAMES_MAX).map((name) => `“${name}”`);
  return new Intl.ListFormat("en", { type: "disjunction" }).format(quoted);
}
