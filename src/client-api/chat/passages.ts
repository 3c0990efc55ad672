import type { FoundDocument } from "#documents/engine.ts";
import { readable, wordsIn } from "#documents/words.ts";
import type { Subject } from "./subject.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** A quotation about what was asked, and the document that it is from. */
export interface Passage {
  /** The sentence that says most about it, and those after it. */
  readonly text: string;
  readonly document: FoundDocument;
}

/** The most passages of an answer: as many as somebody reads. */
const PASSAGES_MAX = 4;

/** A few sentences. A single longer sentence is cut. */
const PASSAGE_CHARACTERS_MAX = 400;

/** A passage with only one word of a question of this many words hardly answers it. */
const MANY_WORDS = 4;

const ELLIPSIS = "…";

/** Created with the first answer, so that not every start has to load its rules. */
let segmenter: Intl.Segmenter | undefined;

/** The most passages if the best one has at most half of the question's words. */
const WEAK_PASSAGES_MAX = 2;

/** Passages with at least this share of their words in common say the same. */
const SAME_SHARE = 0.8;

/** The passages that answer a question, and whether the best has at most half of the question's words. */
export interface Picked {
  readonly passages: readonly Passage[];
  readonly isWeak: boolean;
}

/**
 * Returns the passages that answer best, each from another document, best first. Leaves out copies (even with a few different
 * words), passages that share only one word with a long question, and passages that have at most half as many of its words as the
 * best one and add little to those before them.
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
  /** Those of these words that the title contains. */
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

/**
 * Checks whether a line is a question or ends no sentence: what follows is about this line, and not about what came before.
 */
function isHeading(line: string): boolean {
  return /[?？؟]$/.test(line) || (line.length <= HEADING_CHARACTERS_MAX && HEADING().test(line));
}

const HEADING_CHARACTERS_MAX = 60;
const HEADING = unicodePattern(String.raw`^[\p{Lu}\p{N}][^|]*[\p{L}\p{N})]$`, "u");

const TABLE_ROW = /^\||\|.*\|/;

/** Returns a text's weight. A table row tells less than a sentence with the same words. */
function weightOf(text: string, held: ReadonlySet<number>, subject: Subject): number {
  return subject.weightOf(held) - (TABLE_ROW.test(text) ? 0.5 : 0);
}

/** After such an end comes a step or an entry of a list, and no heading. */
const ANNOUNCING = /(?:[:：]|(?:^|\s)\d{1,2}[.)])$/;

function textFrom([first = "", ...others]: readonly string[]): string {
  if (first.length > PASSAGE_CHARACTERS_MAX) {
    // Doesn't cut between the two halves of a character.
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

/** The end of a line in a wrapped text that continues in the next line. */
const WRAPPED = unicodePattern(String.raw`(?<=(?:[^\n]{60}|^…[^\n]*)[^\n.!?:;|])\n(?=[\p{L}\p{N}(“"'\x60])`, "gu");

/** The end of a sentence and the beginning of the next, if there is no space between them: `!==` ends no sentence. */
const WITHOUT_SPACE = /^[!-~]{2}$/;

/** Returns an excerpt's sentences, without incomplete ones at both ends if there are others. */
function sentencesIn(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const segments: string[] = [];
  for (const { segment } of segmenter.segment(text.replace(WRAPPED(), " "))) {
    const before = segments.at(-1) ?? "";
    if (WITHOUT_SPACE.test(before.slice(-1) + segment.slice(0, 1))) segments[segments.length - 1] = before + segment;
    else segments.push(segment);
  }
  const all = segments
    .map((segment) => segment.replace(/\s+/g, " ").trim())
    .filter((sentence) => LETTER_OR_DIGIT().test(sentence));
  const whole = all.filter((sentence) => !sentence.startsWith(ELLIPSIS) && !sentence.endsWith(ELLIPSIS));
  return whole.length > 0 ? whole : all;
}
