import { unicodePattern } from "#protocol/unicode-pattern.ts";

/** Shorter words have too many neighbours, and longer ones aren't words that people type. */
const LENGTH_MIN = 5;
const LENGTH_MAX = 24;

/** The letters of each script that somebody may type by mistake. Words are folded, so there are no accents. */
const ALPHABETS = ["abcdefghijklmnopqrstuvwxyz", "αβγδεζηθικλμνξοπρστυφχψω", "абвгдежзиклмнопрстуфхцчшщъыьэюя"];

const LETTERS = unicodePattern(String.raw`^\p{L}+$`, "u");

/**
 * Returns the words that a misspelt word may stand for: two letters are swapped, or one is missing, doubled, added or replaced.
 * The first letter is nearly always right, so it is only swapped with the second. Numbers and names with digits have no
 * neighbours.
 */
export function neighboursOf(word: string): readonly string[] {
  const letters = Array.from(word);
  if (letters.length < LENGTH_MIN || letters.length > LENGTH_MAX || !LETTERS().test(word)) return [];
  const alphabet = ALPHABETS.find((one) => one.includes(letters[0] ?? ""));
  if (alphabet === undefined) return [];
  const found = new Set<string>();
  const add = (at: number, removed: number, ...added: readonly string[]) =>
    found.add(letters.toSpliced(at, removed, ...added).join(""));
  for (let at = 0; at < letters.length; at++) {
    const next = letters[at + 1];
    if (next !== undefined) add(at, 2, next, letters[at] ?? "");
    if (at > 0) add(at, 1);
    for (const letter of alphabet) {
      add(at + 1, 0, letter);
      if (at > 0) add(at, 1, letter);
    }
  }
  found.delete(word);
  return [...found];
}
