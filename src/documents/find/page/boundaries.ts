import { unicodePattern } from "#protocol/unicode-pattern.ts";

/**
 * The start of a sentence or paragraph: after an end that isn't that of an initial or abbreviation, as far as the characters around it
 * show.
 */
const SENTENCE_START = unicodePattern(
  String.raw`(?:(?<=\S\S)[.!?…؟।][”’"')\]]*\s+(?=[^\s\p{Ll}])|[。！？]|\n\s*\n\s*|\n[ \t]*(?=[\p{Lu}*•#>|-]))`,
  "gu",
);

/** Texts aren't cut within a word, unless the word is longer than this. */
const STEP_MAX = 30;

const SPACE = /\s/;
const HIGH_HALF = /[\ud800-\udbff]/;
const LOW_HALF = /[\udc00-\udfff]/;
const MARK = unicodePattern(String.raw`[\p{M}\u200d\ufe0f]`, "u");

/** Returns the last position up to `at` where a sentence starts; -1: none does from `from` on. */
export function sentenceStart(text: string, from: number, at: number): number {
  // A sentence start is recognized by the characters before it.
  const before = Math.max(0, from - 2);
  let last = from === 0 ? text.length - text.trimStart().length : -1;
  for (const { 0: end, index } of text.slice(before, at + 1).matchAll(SENTENCE_START())) {
    const start = before + index + end.length;
    if (start >= from && start <= at) last = start;
  }
  return last;
}

/** Returns the last position up to `at` where a sentence has ended; -1: none has from `from` on. */
export function sentenceEnd(text: string, from: number, at: number): number {
  if (at >= text.length) return text.trimEnd().length;
  const start = sentenceStart(text, from, at);
  return start <= from ? -1 : text.slice(0, start).trimEnd().length;
}

/** Returns the end of a text, or of all but its last paragraph if that is only the heading of the next one. */
export function withoutHeading(text: string): number {
  const line = text.lastIndexOf("\n");
  const end = text.slice(0, Math.max(line, 0)).trimEnd().length;
  const isParted = text.slice(end, Math.max(line, 0)).includes("\n");
  return isParted && /^[^.!?]{1,60}$/.test(text.slice(line + 1)) ? end : text.length;
}

/** Returns the start of the word at a position. */
export function wordStart(text: string, at: number): number {
  for (let back = at; back > at - STEP_MAX; back--) if (back === 0 || SPACE.test(text[back - 1] ?? "")) return back;
  return wholeCharacter(text, at, -1);
}

/** Returns the end of the word at a position. */
export function wordEnd(text: string, at: number): number {
  for (let end = at; end < at + STEP_MAX; end++) if (end >= text.length || SPACE.test(text[end] ?? "")) return end;
  return wholeCharacter(text, at, 1);
}

/** Moves a position that is between the halves of a character, or between a letter and its marks. */
function wholeCharacter(text: string, at: number, step: 1 | -1): number {
  let place = at;
  const isWithin = () =>
    (HIGH_HALF.test(text[place - 1] ?? "") && LOW_HALF.test(text[place] ?? "")) || MARK().test(text[place] ?? "");
  while (Math.abs(place - at) < STEP_MAX && isWithin()) place += step;
  return place;
}
