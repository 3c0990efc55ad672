import { kindsIn, LETTER, LETTER_OR_NUMBER, LOWER, MARK, PICTOGRAPH, SECOND_HALF, UPPER } from "./characters.ts";
import { CAPITALS } from "./index-rules.ts";
import { isLikeStopWord } from "./stop-words.ts";
import { withoutEndings, wordsIn } from "./words.ts";
import { datesIn } from "./written-dates.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** A further spelling of a name in a text, or a word with signs, such as C++. */
export interface Compound {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

const TWO_LOWERCASE = unicodePattern(String.raw`^\p{Ll}{2}`, "u");
const VERSION = /^v?(?<numbers>\d+(?:\.\d+)+)$/iu;
const SYMBOL = unicodePattern(
  String.raw`^(?:\p{L}{1,3}(?:\+\+|#)|\.[A-Za-z][A-Za-z0-9]*|\p{Extended_Pictographic})$`,
  "u",
);
const NEGATION = /n['’]t$/iu;
const CAMEL = unicodePattern(String.raw`(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})`, "u");

/** A number with any country's thousands separators. The lookbehind follows the first digit, so few places reach it. */
const GROUPED = /\d(?<![\d.,]\d)\d{0,2}(?:[.,\u00a0\u202f]\d{3})+(?!\d)/g;
const TYPED_NUMBER = /^(?<whole>\d{1,3}(?:[.,'’]\d{3})+)(?:[.,]\d{1,2})?$/;

/** "TCP/IP", "I/O", "R&D"; "ISO 27001". */
const ABBREVIATION = /(?:[A-Z]{1,4}(?:[/&][A-Z]{1,5}){1,2}|[A-Z]{2,6}[ \u00a0]\d{1,6})(?![A-Za-z0-9/&]|[.,]\d)/g;

/** A word in capitals. Among others in capitals, it says nothing. */
const CAPITALISED = /(?<![A-Za-z0-9/&])[A-Z]{2,6}(?![A-Za-z0-9/&])/g;
const LOWER_CASE = /[a-z]/;
const AROUND_CAPITALS = 40;

/** The two parts of a word that the end of a line divides. Most texts have no such line, which is known sooner. */
const LINE_END = /[-\u2010]\r?\n/;
const DIVIDED = unicodePattern(
  String.raw`(?<![\p{L}\p{N}\p{M}])(\p{L}{2,30})[-\u2010]\r?\n[ \t]{0,20}(\p{Ll}{2,30})(?![\p{L}\p{N}\p{M}])`,
  "gu",
);

/** Returns the word that stands in the index for a typed one in capitals, if it would be a stop word in lower case. */
export function capitalised(typed: string): string | null {
  const word = typed.replace(/[^A-Za-z0-9]/g, "");
  return /^[A-Z]{2,6}$/.test(word) && isLikeStopWord(word.toLowerCase()) ? CAPITALS + word.toLowerCase() : null;
}

/** Options of commands, whose words in the index have the dashes: few of the documents with "force" say something about `--force`. */
const OPTION = /(?<![\w-])--[a-z\d]{1,40}(?:-[a-z\d]{1,40}){0,5}(?![\w-])/gi;

/** Returns the word that stands in the index for a typed option; `null`: it is none. */
export function optionIn(typed: string): string | null {
  return typed.length <= WORD_MAX && typed.match(OPTION)?.[0] === typed ? typed.toLowerCase() : null;
}

/** Verbs that are written as one word with a particle when they name something: "log in", "logged in" and "login". */
const JOINED_VERB =
  /(?<![A-Za-z0-9])(back|break|check|clean|follow|hand|kick|lock|log|look|opt|plug|roll|set|shut|sign|start|take|time|walk|work)(?:[a-z]?ing|[a-z]?ed|s)?\s(around|back|by|down|in|off|on|out|over|through|up)(?![A-Za-z0-9])/gi;

/** Letters with a stroke and ligatures, which no Unicode form decomposes, and how many people type them. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = { ł: "l", ø: "o", đ: "d", ð: "d", æ: "ae", œ: "oe", þ: "th" };
const STROKED = /[łøđðæœþ]/gi;
const STROKED_WORD = unicodePattern(
  String.raw`(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}\p{M}]{0,30}[łøđðæœþ][\p{L}\p{N}\p{M}]{0,30}(?![\p{L}\p{N}\p{M}])`,
  "giu",
);

/** Replaces a folded word's stroked letters and ligatures with letters that every keyboard has. */
export function plainOf(word: string): string {
  return word.replace(STROKED, (letter) => PLAIN_LETTERS[letter] ?? letter);
}

/** How many characters around a joint are read in each direction: more than any name has. */
const CHUNK_MAX = 60;
const PARTS_MAX = 6;
/** The most compounds of one text, not counting dates. */
const COMPOUNDS_MAX = 5000;
const WORD_MAX = 40;
/** "sign-in", "read-only", "frontend-team": two ordinary words with a hyphen. */
const PAIR = unicodePattern(String.raw`^[\p{L}\p{N}]+-[\p{L}\p{N}]+$`, "u");
const PAIR_MAX = 20;

/** "e-mail", "wi-fi", "O'Reilly": a first part of up to this many letters doesn't stand alone. */
const SHORT_PART = 3;

/**
 * Finds what people may type for names in a text: `nodejs` for node.js, `dont` for don't, `email` for e-mail, `retry` and
 * `maxretrycount` for maxRetryCount and max_retry_count, `2.3` for v2.3.1, `committee` for "com-" and "mittee" in the next line. Also finds
 * words that need their signs or capitals: C++, C#, .NET, an emoji, IT, --force.
 *
 * @param kinds the classes of the text's characters
 */
export function compoundsIn(text: string, kinds = kindsIn(text)): Compound[] {
  const found: Compound[] = [];
  for (let at = 0; at < text.length && found.length < COMPOUNDS_MAX; at++) {
    if (isWithinWord(kinds[at] ?? 0, kinds[at + 1] ?? 0)) continue;
    const joint = jointAt(text, kinds, at);
    if (joint === null) continue;
    if ("word" in joint) found.push(joint);
    else found.push(...spellingsOf(text.slice(joint.start, joint.end), joint.start));
    at = Math.max(at, joint.end - 1);
  }
  for (const { 0: number, index } of text.matchAll(GROUPED)) {
    if (found.length >= COMPOUNDS_MAX) break;
    const word = number.replace(/\D/g, "");
    if (word.length <= WORD_MAX) found.push({ word, start: index, end: index + number.length });
  }
  for (const { 0: written, 1: verb = "", 2: particle = "", index } of text.matchAll(JOINED_VERB)) {
    if (found.length >= COMPOUNDS_MAX) break;
    found.push({ word: (verb + particle).toLowerCase(), start: index, end: index + written.length });
  }
  for (const { 0: written, index } of text.search(STROKED) >= 0 ? text.matchAll(STROKED_WORD()) : []) {
    if (found.length >= COMPOUNDS_MAX) break;
    found.push({ word: plainOf(wordsIn(written).join("")), start: index, end: index + written.length });
  }
  for (const { 0: written, index } of text.includes("--") ? text.matchAll(OPTION) : []) {
    if (found.length >= COMPOUNDS_MAX) break;
    const word = optionIn(written);
    if (word !== null) found.push({ word, start: index, end: index + written.length });
  }
  for (const { 0: written, index } of text.matchAll(ABBREVIATION)) {
    if (found.length >= COMPOUNDS_MAX) break;
    if (/[A-Za-z0-9/&]/.test(text[index - 1] ?? "")) continue;
    found.push({ word: wordsIn(written).join(""), start: index, end: index + written.length });
  }
  for (const { 0: written, index } of text.matchAll(CAPITALISED)) {
    if (found.length >= COMPOUNDS_MAX) break;
    const end = index + written.length;
    const around = text.slice(Math.max(0, index - AROUND_CAPITALS), end + AROUND_CAPITALS);
    const word = capitalised(written);
    if (word !== null && (LOWER_CASE.test(around) || around.trim() === written))
      found.push({ word, start: index, end });
  }
  for (const { 0: written, 1: begun = "", 2: ended = "", index } of LINE_END.test(text)
    ? text.matchAll(DIVIDED())
    : []) {
    if (found.length >= COMPOUNDS_MAX) break;
    found.push({ word: wordsIn(begun + ended).join(""), start: index, end: index + written.length });
  }
  return [...found, ...datesIn(text)];
}

/** Checks whether a character and the one after it show that no compound begins here, which skips most positions. */
function isWithinWord(kind: number, after: number): boolean {
  return kind !== 0 && (kind & PICTOGRAPH) === 0 && (after & (LETTER_OR_NUMBER | UPPER | SECOND_HALF)) === LETTER;
}

/** Returns the part of a text around a joint of words at a position, or the symbol there; `null`: there is neither. */
function jointAt(text: string, kinds: Uint8Array, at: number): Pick<Compound, "start" | "end"> | Compound | null {
  const kind = kinds[at] ?? 0;
  if (kind === 0) {
    const isSign = text.charCodeAt(at) === POINT && isAsciiLetter(text.charCodeAt(at + 1)) && isOpen(text[at - 1]);
    return isSign ? { start: at, end: edgeOf(text, kinds, at + 1, 1) } : null;
  }
  const next = at + (((kinds[at + 1] ?? 0) & SECOND_HALF) === 0 ? 1 : 2);
  if ((kind & LETTER_OR_NUMBER) !== 0) {
    const after = kinds[next] ?? 0;
    const isJoined =
      after === 0
        ? isJoining(text.charCodeAt(next)) && ((kinds[next + 1] ?? 0) & LETTER_OR_NUMBER) !== 0
        : (after & UPPER) !== 0 &&
          ((kind & LOWER) !== 0 ||
            ((kind & UPPER) !== 0 && ((kinds[next + (after & SECOND_HALF ? 2 : 1)] ?? 0) & LOWER) !== 0));
    const symbol = isJoined || after === 0 ? symbolAround(text, kinds, at) : null;
    if (symbol !== null) return symbol;
    if (isJoined) return { start: edgeOf(text, kinds, at, -1), end: edgeOf(text, kinds, next, 1) };
  }
  return (kind & PICTOGRAPH) === 0 || (kind & SECOND_HALF) !== 0
    ? null
    : { word: text.slice(at, next), start: at, end: next };
}

const POINT = ".".charCodeAt(0);
const PLUS = "+".charCodeAt(0);
const HASH = "#".charCodeAt(0);

function isJoining(unit: number): boolean {
  // . _ ' ’ -
  return unit === POINT || unit === 0x5f || unit === 0x27 || unit === 0x2019 || unit === 0x2d;
}

function isAsciiLetter(unit: number): boolean {
  return (unit | 32) >= 97 && (unit | 32) <= 122;
}

/** Checks whether a name may begin after a character. */
function isOpen(before: string | undefined): boolean {
  return before === undefined || /[\s([{"'\x60/]/.test(before);
}

/** Finds a symbol such as "C++" or "F#" around a position: letters that stand alone, and the signs after them. */
function symbolAround(text: string, kinds: Uint8Array, at: number): Pick<Compound, "start" | "end"> | null {
  const isPart = (place: number) => ((kinds[place] ?? 0) & LETTER_OR_NUMBER) !== 0;
  let end = at;
  while (isPart(end) && end - at < SYMBOL_LETTERS_MAX) end++;
  const isHash = text.charCodeAt(end) === HASH;
  if (!isHash && (text.charCodeAt(end) !== PLUS || text.charCodeAt(end + 1) !== PLUS)) return null;
  let start = end;
  while (isPart(start - 1) && end - start <= SYMBOL_LETTERS_MAX) start--;
  for (let place = start; place < end; place++) if (((kinds[place] ?? 0) & LETTER) === 0) return null;
  return end - start > SYMBOL_LETTERS_MAX ? null : { start, end: end + (isHash ? 1 : 2) };
}

const SYMBOL_LETTERS_MAX = 3;

/**
 * Returns the word that represents a typed word including its signs, if it is a symbol, a number, a version or a negation such as
 * "don't". `null` for other words, which are searched by their letters.
 */
export function symbolIn(typed: string): string | null {
  const word = typed.replace(/\uFE0F/g, "").replace(/^[("'[]+|[)"'\],;:!?]+$|\.$/g, "");
  if (SYMBOL().test(word)) return word.toLowerCase();
  const number = TYPED_NUMBER.exec(word)?.groups?.["whole"];
  if (number !== undefined && number.length <= WORD_MAX) return number.replace(/\D/g, "");
  const version = VERSION.exec(word)?.groups?.["numbers"];
  if (version !== undefined && version.length <= WORD_MAX) return version;
  return NEGATION.test(word) ? wordsIn(word).join("") : null;
}

/** Returns the words of a text as a query with it has them. */
export function typedWordsIn(text: string): string[] {
  return text.split(/\s+/).flatMap((word) => symbolIn(word) ?? wordsIn(withoutEndings(word)));
}

/** Returns where the run of letters, digits and joints around a position begins or ends. */
function edgeOf(text: string, kinds: Uint8Array, from: number, step: 1 | -1): number {
  let at = from;
  const isPart = (place: number) =>
    ((kinds[place] ?? 0) & (LETTER_OR_NUMBER | MARK)) !== 0 || isJoining(text.charCodeAt(place));
  while (Math.abs(at - from) < CHUNK_MAX && isPart(step === 1 ? at : at - 1)) at += step;
  return at;
}

function spellingsOf(joined: string, start: number): Compound[] {
  // Signs at the end, such as the period of a sentence, aren't part of a name or version.
  const chunk = joined.replace(/[._'’-]+$/u, "");
  const whole = { start, end: start + chunk.length };
  const numbers = VERSION.exec(chunk)?.groups?.["numbers"]?.split(".");
  if (numbers) {
    const prefixes = numbers.slice(1, PARTS_MAX).map((_, at) => numbers.slice(0, at + 2).join("."));
    return prefixes.filter((word) => word.length <= WORD_MAX).map((word) => ({ word, ...whole }));
  }
  const symbol = symbolIn(chunk);
  if (symbol !== null) return [{ word: symbol, ...whole }];
  const found: Compound[] = [];
  let place = start;
  for (const part of chunk.split(/([._'’-]+)/u)) {
    for (const piece of piecesOf(part)) {
      const word = wordsIn(piece.text).join("");
      if (word.length > 1) found.push({ word, start: place + piece.at, end: place + piece.at + piece.text.length });
    }
    place += part.length;
  }
  const parts = chunk.split(/[._'’-]+/u).filter((part) => part !== "");
  const isPair = parts.length === 2 && PAIR().test(chunk);
  const isName = /[._]/.test(chunk.slice(1, -1)) || (parts[0]?.length ?? 0) <= SHORT_PART;
  const word = wordsIn(chunk).join("");
  const lengthMax = isName ? WORD_MAX : isPair ? PAIR_MAX : 0;
  if (parts.length > 1 && parts.length <= PARTS_MAX && word.length <= lengthMax) {
    found.push({ word, ...whole });
  }
  return found;
}

/**
 * Returns the words of `camelCase`; none if there is only one, or if there are more than a name has, as in encoded data. A search
 * for Java must not find JavaScript, so a name of two words counts only if it starts with two lower-case letters, which product
 * names don't.
 */
function piecesOf(part: string): readonly { readonly text: string; readonly at: number }[] {
  const texts = part.split(CAMEL());
  const isCode = texts.length > 2 || TWO_LOWERCASE().test(part);
  if (texts.length < 2 || !isCode || texts.length > PARTS_MAX || part.length > WORD_MAX) return [];
  let at = 0;
  return texts.map((text) => {
    const piece = { text, at };
    at += text.length;
    return piece;
  });
}
