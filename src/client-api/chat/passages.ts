import type { FoundDocument } from "#documents/engine.ts";
import { readable } from "#documents/words.ts";
import type { Subject } from "./subject.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** A quotation that says something of what was asked, and the document that it is from. */
export interface Passage {
  /** The sentence that says most of it, and those behind it. */
  readonly text: string;
  readonly document: FoundDocument;
}

/** As many as somebody reads. */
const PASSAGES_MAX = 4;

/** A few sentences. A single longer sentence is cut. */
const PASSAGE_CHARACTERS_MAX = 400;

/** A question of so many words is hardly answered where only one of them stands. */
const MANY_WORDS = 4;

const ELLIPSIS = "…";

/** Made with the first answer: not every start has to load its rules. */
let segmenter: Intl.Segmenter | undefined;

/**
 * The passages that answer best, each from another document, best first. Left out are copies, passages that share only single words
 * with a long question, and passages with at most half of what the best one has that add nothing to the ones before them.
 */
export function pickPassages(documents: readonly FoundDocument[], subject: Subject): Passage[] {
  const ranked = documents
    .map((document) => bestPassage(document, subject))
    .sort((one, other) => other.weight - one.weight);
  const least = subject.size >= MANY_WORDS ? 2 : 1;
  const best = ranked[0]?.held.size ?? 0;
  const said = new Set<string>();
  const answered = new Set<number>();
  return ranked
    .filter(({ held, text }) => {
      const isEnough = held.size > best / 2 || [...held].some((word) => !answered.has(word));
      if (held.size < least || said.has(text) || !isEnough) return false;
      said.add(text);
      for (const word of held) answered.add(word);
      return true;
    })
    .slice(0, PASSAGES_MAX)
    .map(({ text, document }) => ({ text, document }));
}

interface RankedPassage extends Passage {
  readonly held: ReadonlySet<number>;
  readonly weight: number;
}

function bestPassage(document: FoundDocument, subject: Subject): RankedPassage {
  const title = readable(document.title);
  const sentences = sentencesIn(document.excerpt.text);
  let best = { at: 0, held: new Set<number>(), weight: 0 };
  let asked = new Set<number>();
  for (const [at, sentence] of sentences.entries()) {
    const held = new Set([...subject.heldBy(sentence), ...asked]);
    // A question within a document is answered by what follows it.
    const isQuestion = /[?？؟]$/.test(sentence) && at < sentences.length - 1;
    asked = isQuestion ? held : new Set();
    const weight = weightOf(sentence, held);
    if (!isQuestion && weight > best.weight) best = { at, held, weight };
  }
  const text = textFrom(sentences.slice(best.at)) || title;
  const held = new Set([...subject.heldBy(`${title}\n${text}`), ...best.held]);
  return { text, document, held, weight: weightOf(text, held) };
}

const TABLE_ROW = /^\||\|.*\|/;

/** A row of a table tells less than a sentence with the same words. */
function weightOf(text: string, held: ReadonlySet<number>): number {
  return held.size - (TABLE_ROW.test(text) ? 0.5 : 0);
}

function textFrom([first = "", ...others]: readonly string[]): string {
  if (first.length > PASSAGE_CHARACTERS_MAX) {
    // Not between the two halves of a character.
    return first.slice(0, PASSAGE_CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, "") + ELLIPSIS;
  }
  let text = first;
  for (const sentence of others) {
    if (text.length + sentence.length >= PASSAGE_CHARACTERS_MAX) break;
    text += ` ${sentence}`;
  }
  return text;
}

const LETTER_OR_DIGIT = unicodePattern(String.raw`[\p{L}\p{N}]`, "u");

/** A line of a text that was wrapped goes on in the next one. */
const WRAPPED = unicodePattern(String.raw`(?<=(?:[^\n]{60}|^…[^\n]*)[^\n.!?:;|])\n(?=[\p{L}\p{N}(“"'\x60])`, "gu");

/** Without the parts of sentences at both ends of an excerpt, if there is anything between them. */
function sentencesIn(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const all = Array.from(segmenter.segment(text.replace(WRAPPED(), " ")), ({ segment }) =>
    segment.replace(/\s+/g, " ").trim(),
  ).filter((sentence) => LETTER_OR_DIGIT().test(sentence));
  const whole = all.filter((sentence) => !sentence.startsWith(ELLIPSIS) && !sentence.endsWith(ELLIPSIS));
  return whole.length > 0 ? whole : all;
}
