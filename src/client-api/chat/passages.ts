import type { FoundDocument } from "#documents/engine.ts";
import { readable, wordsIn } from "#documents/words.ts";
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

/** The same where the best passage has no more than half of the question. */
const WEAK_PASSAGES_MAX = 2;

/** Passages with so large a share of their words in common say the same. */
const SAME_SHARE = 0.8;

/** What answers a question, and whether that is no more than half of it. */
export interface Picked {
  readonly passages: readonly Passage[];
  readonly isWeak: boolean;
}

/**
 * The passages that answer best, each from another document, best first. Left out are copies, also with a few other words, passages that
 * share only single words with a long question, and passages with at most half of what the best one has that add little to the ones
 * before them.
 */
export function pickPassages(documents: readonly FoundDocument[], subject: Subject): Picked {
  const ranked = documents
    .map((document) => bestPassage(document, subject))
    .filter(({ titled }) => !subject.isJoining || titled.size === subject.size)
    .sort((one, other) => other.weight - one.weight);
  const isMany = subject.size >= MANY_WORDS;
  const best = ranked[0]?.held.size ?? 0;
  const isWeak = best <= subject.size / 2;
  const said: ReadonlySet<string>[] = [];
  const answered = new Set<number>();
  const passages = ranked
    .filter(({ held, titled, text }) => {
      const added = [...held].filter((word) => !answered.has(word));
      const isNew = added.length > 0 && (held.size > 1 || subject.size <= 2 || added.some((word) => titled.has(word)));
      const words = new Set(wordsIn(text));
      if (held.size < (isMany ? 2 : 1) || !(held.size > best / 2 || isNew) || said.some((one) => isCopy(one, words)))
        return false;
      said.push(words);
      for (const word of held) answered.add(word);
      return true;
    })
    .slice(0, isWeak ? WEAK_PASSAGES_MAX : PASSAGES_MAX)
    .map(({ text, document }) => ({ text, document }));
  return { passages, isWeak };
}

function isCopy(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const common = [...one].filter((word) => other.has(word)).length;
  return common >= SAME_SHARE * (one.size + other.size - common);
}

interface RankedPassage extends Passage {
  readonly held: ReadonlySet<number>;
  /** What of this the title holds. */
  readonly titled: ReadonlySet<number>;
  readonly weight: number;
}

function bestPassage(document: FoundDocument, subject: Subject): RankedPassage {
  const title = readable(document.title);
  const sentences = sentencesIn(document.excerpt.text);
  let best = { at: 0, held: new Set<number>(), weight: 0 };
  let asked = new Set<number>();
  for (const [at, sentence] of sentences.entries()) {
    const held = new Set([...subject.heldBy(sentence), ...asked]);
    // A question within a document is answered by what follows it, and a heading says what that is about.
    const isQuestion = isHeading(sentence) && at < sentences.length - 1;
    asked = isQuestion ? held : new Set();
    const weight = weightOf(sentence, held, subject);
    if (!isQuestion && weight > best.weight) best = { at, held, weight };
  }
  const text = textFrom(sentences.slice(best.at)) || title;
  const titled = subject.heldBy(title);
  const held = new Set([...subject.heldBy(`${title}\n${text}`), ...best.held]);
  return { text, document, held, titled, weight: weightOf(text, held, subject) };
}

/** A question, or a line that ends no sentence: what follows is about this, and not about what stood before. */
function isHeading(line: string): boolean {
  return /[?？؟]$/.test(line) || (line.length <= HEADING_CHARACTERS_MAX && HEADING().test(line));
}

const HEADING_CHARACTERS_MAX = 60;
const HEADING = unicodePattern(String.raw`^[\p{Lu}\p{N}][^|]*[\p{L}\p{N})]$`, "u");

const TABLE_ROW = /^\||\|.*\|/;

/** A row of a table tells less than a sentence with the same words. */
function weightOf(text: string, held: ReadonlySet<number>, subject: Subject): number {
  return subject.weightOf(held) - (TABLE_ROW.test(text) ? 0.5 : 0);
}

/** What follows is a step or an entry of a list, and no heading. */
const ANNOUNCING = /(?:[:：]|(?:^|\s)\d{1,2}[.)])$/;

function textFrom([first = "", ...others]: readonly string[]): string {
  if (first.length > PASSAGE_CHARACTERS_MAX) {
    // Not between the two halves of a character.
    return first.slice(0, PASSAGE_CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, "") + ELLIPSIS;
  }
  let text = first;
  for (const sentence of others) {
    if ((isHeading(sentence) && !ANNOUNCING.test(text)) || text.length + sentence.length >= PASSAGE_CHARACTERS_MAX)
      break;
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
