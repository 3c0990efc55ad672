import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** What a character is, as bits. */
export const LETTER = 1;
const NUMBER = 2;
export const MARK = 4;
export const LOWER = 8;
export const UPPER = 16;
export const PICTOGRAPH = 32;
/** Of the second half of a pair of surrogates, beside what the character is. */
export const SECOND_HALF = 64;

export const LETTER_OR_NUMBER = LETTER | NUMBER;

const PATTERNS: readonly (readonly [kind: number, pattern: () => RegExp])[] = [
  [LETTER, unicodePattern(String.raw`\p{L}`, "u")],
  [NUMBER, unicodePattern(String.raw`\p{N}`, "u")],
  [MARK, unicodePattern(String.raw`\p{M}`, "u")],
  [LOWER, unicodePattern(String.raw`\p{Ll}`, "u")],
  [UPPER, unicodePattern(String.raw`\p{Lu}`, "u")],
  [PICTOGRAPH, unicodePattern(String.raw`\p{Extended_Pictographic}`, "u")],
];

const KNOWN = 128;

/** By unit of UTF-16, of those that a text had: a look-up takes a hundredth of what classes of Unicode take in a regular expression. */
let kinds: Uint8Array | undefined;
const kindsOfPairs = new Map<number, number>();

/** Different pairs that are remembered; a text with more is looked at longer. */
const PAIRS_MAX = 10_000;

/** What a unit is by itself. Half of a pair, and `NaN`, which is behind a text's end, are nothing. */
export function kindOfUnit(unit: number): number {
  kinds ??= new Uint8Array(0x10000);
  let kind = kinds[unit] ?? KNOWN;
  if (kind === 0) {
    kind = kindOf(unit) | KNOWN;
    kinds[unit] = kind;
  }
  return kind & ~KNOWN;
}

/** What each unit of a text is. */
export function kindsIn(text: string): Uint8Array {
  const all = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    all[at] = kindOfUnit(unit);
    if ((unit & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    const ofPair = kindOfPair(text.codePointAt(at) ?? 0);
    all[at] = ofPair;
    all[++at] = ofPair | SECOND_HALF;
  }
  return all;
}

function kindOfPair(character: number): number {
  const known = kindsOfPairs.get(character);
  if (known !== undefined) return known;
  const kind = kindOf(character);
  if (kindsOfPairs.size < PAIRS_MAX) kindsOfPairs.set(character, kind);
  return kind;
}

function kindOf(character: number): number {
  const written = String.fromCodePoint(character);
  return PATTERNS.reduce((all, [kind, pattern]) => (pattern().test(written) ? all | kind : all), 0);
}
