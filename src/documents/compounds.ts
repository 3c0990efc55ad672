import { wordsIn } from "./words.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** A further spelling of a name in a text, or a word with signs, such as C++. */
export interface Compound {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Where words are joined or contain signs: finds these places without looking at every word. */
const JOINT = unicodePattern(
  [
    String.raw`[\p{L}\p{N}][._'’-](?=[\p{L}\p{N}])`,
    String.raw`\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll})`,
    String.raw`(?<![\p{L}\p{N}])\p{L}{1,3}(?:\+\+|#)`,
    String.raw`(?<![^\s([{"'\x60/])\.(?=[A-Za-z])`,
    String.raw`\p{Extended_Pictographic}`,
  ].join("|"),
  "gu",
);

const TWO_LOWERCASE = unicodePattern(String.raw`^\p{Ll}{2}`, "u");
const PICTOGRAPH = unicodePattern(String.raw`^\p{Extended_Pictographic}`, "u");
const PART_OF_CHUNK = unicodePattern(String.raw`[\p{L}\p{N}\p{M}._'’-]`, "u");
const VERSION = /^v?(?<numbers>\d+(?:\.\d+)+)$/iu;
const SYMBOL = unicodePattern(
  String.raw`^(?:\p{L}{1,3}(?:\+\+|#)|\.[A-Za-z][A-Za-z0-9]*|\p{Extended_Pictographic})$`,
  "u",
);
const NEGATION = /n['’]t$/iu;
const CAMEL = unicodePattern(String.raw`(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})`, "u");

/** A number whose thousands are parted, as every country does it in another way. */
const GROUPED = /(?<![\d.,])\d{1,3}(?:[.,\u00a0\u202f]\d{3})+(?!\d)/g;
const TYPED_NUMBER = /^(?<whole>\d{1,3}(?:[.,'’]\d{3})+)(?:[.,]\d{1,2})?$/;

/** Longer than any name: how far the text around a joint is read. */
const CHUNK_MAX = 60;
const PARTS_MAX = 6;
/** Of one text. */
const COMPOUNDS_MAX = 5000;
const WORD_MAX = 40;

/** "e-mail", "wi-fi", "O'Reilly": a first part this short doesn't stand alone. */
const SHORT_PART = 3;

/**
 * What people may type for what a text has: `nodejs` for node.js, `dont` for don't, `email` for e-mail, `retry` and `maxretrycount` for
 * maxRetryCount and max_retry_count, `2.3` for v2.3.1; and words that need their signs: C++, C#, .NET, an emoji.
 */
export function compoundsIn(text: string): Compound[] {
  const found: Compound[] = [];
  const joints = JOINT();
  joints.lastIndex = 0;
  for (let joint = joints.exec(text); joint && found.length < COMPOUNDS_MAX; joint = joints.exec(text)) {
    const [sign] = joint;
    if (PICTOGRAPH().test(sign)) {
      found.push({ word: sign, start: joint.index, end: joint.index + sign.length });
      continue;
    }
    const isSymbol = /[+#]$|^\.$/.test(sign);
    const start = isSymbol ? joint.index : edgeOf(text, joint.index, -1);
    const end = sign === "." || !isSymbol ? edgeOf(text, joint.index + sign.length, 1) : joint.index + sign.length;
    found.push(...spellingsOf(text.slice(start, end), start));
    joints.lastIndex = Math.max(end, joints.lastIndex);
  }
  for (const { 0: number, index } of text.matchAll(GROUPED)) {
    if (found.length >= COMPOUNDS_MAX) break;
    found.push({ word: number.replace(/\D/g, ""), start: index, end: index + number.length });
  }
  return found;
}

/**
 * The word that a typed word is searched as together with its signs: a symbol, a version or a negation such as "don't". `null` for
 * other words, which are searched by their letters.
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

/** Where the run of letters, digits and joints around a place begins or ends. */
function edgeOf(text: string, from: number, step: 1 | -1): number {
  let at = from;
  const next = () => (step === 1 ? at : at - 1);
  while (Math.abs(at - from) < CHUNK_MAX && PART_OF_CHUNK().test(text[next()] ?? " ")) at += step;
  return at;
}

function spellingsOf(chunk: string, start: number): Compound[] {
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
  const isName = /[._]/.test(chunk.slice(1, -1)) || (parts[0]?.length ?? 0) <= SHORT_PART;
  const joined = wordsIn(chunk).join("");
  if (isName && parts.length > 1 && parts.length <= PARTS_MAX && joined.length <= WORD_MAX) {
    found.push({ word: joined, ...whole });
  }
  return found;
}

/**
 * The words of `camelCase`; none if there is only one, or more than a name has, as in encoded data. A search for Java must not find
 * JavaScript, so a name of two words only counts if it starts with two lower-case letters, as product names don't.
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
