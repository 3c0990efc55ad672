import { unicodePattern } from "#protocol/unicode-pattern.ts";
import { UNSEEN_IN_WORDS } from "./optional-marks.ts";

/** Classes of characters, as bits. */
export const LETTER = 1;
const NUMBER = 2;
export const MARK = 4;
export const LOWER = 8;
export const UPPER = 16;
export const PICTOGRAPH = 32;
/** Set for the second half of a surrogate pair, in addition to the character's classes. */
export const SECOND_HALF = 64;

export const LETTER_OR_NUMBER = LETTER | NUMBER;

/** Scripts without spaces that are cut by character, and those whose words only a dictionary knows. Not in {@link kindsIn}. */
export const BY_CHARACTER = 256;
export const BY_DICTIONARY = 512;

const PATTERNS: readonly (readonly [kind: number, pattern: () => RegExp])[] = [
  [LETTER, unicodePattern(String.raw`\p{L}`, "u")],
  [NUMBER, unicodePattern(String.raw`\p{N}`, "u")],
  [MARK, unicodePattern(String.raw`[\p{M}${UNSEEN_IN_WORDS.replace(String.raw`\u200b-`, String.raw`\u200c-`)}]`, "u")],
  [LOWER, unicodePattern(String.raw`\p{Ll}`, "u")],
  [UPPER, unicodePattern(String.raw`\p{Lu}`, "u")],
  [PICTOGRAPH, unicodePattern(String.raw`\p{Extended_Pictographic}`, "u")],
  [BY_CHARACTER, unicodePattern(String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`, "u")],
  [BY_DICTIONARY, unicodePattern(String.raw`[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`, "u")],
];

const KNOWN = 1024;

/**
 * The classes of UTF-16 units that texts have contained. A look-up takes a hundredth of the time that Unicode classes in a
 * regular expression take.
 */
let kinds: Uint16Array | undefined;
const kindsOfPairs = new Map<number, number>();

/** The most surrogate pairs that are remembered. A text with more takes longer to read. */
const PAIRS_MAX = 10_000;

/** Returns the classes of one UTF-16 unit: none for half of a pair, and for `NaN`, which is after the end of a text. */
export function kindOfUnit(unit: number): number {
  kinds ??= new Uint16Array(0x10000);
  let kind = kinds[unit] ?? KNOWN;
  if (kind === 0) {
    kind = kindOf(unit) | KNOWN;
    kinds[unit] = kind;
  }
  return kind & ~KNOWN;
}

/** Returns the classes of each UTF-16 unit of a text. */
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

/** Returns the classes of the character at a position, which may be a surrogate pair. */
export function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return (unit & 0xfc00) === 0xd800 ? kindOfPair(text.codePointAt(at) ?? 0) : kindOfUnit(unit);
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
