import { unicodePattern } from "./unicode-pattern.ts";

export const NAME_CHARACTERS_MAX = 100;

/**
 * Characters that hide, reverse or break text: control and format characters, private use, lone surrogates, line separators, and
 * letters that are drawn as nothing (Hangul fillers, the empty Braille pattern).
 */
const UNSEEN = unicodePattern(String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]`, "gu");

/** Joiners shape letters in Persian and other scripts, and hold emoji together. They do not move text. */
const JOINERS = /[\u200c\u200d]/gu;

/**
 * Marks beyond the second on one letter, which reach into the lines around a name and cover what the page says there. Written
 * languages need two after composition. Marks at the beginning of a name have no letter to stand on.
 */
const STACKED_MARKS = unicodePattern(String.raw`(?<=\p{M}{2})\p{M}+|^\p{M}+`, "gu");

/**
 * Returns a name as pages may show it: one line, without characters that hide, reverse, cover or imitate the text around it. Used
 * for every name that others choose: names of apps, of tokens, and of people as their sign-in, token or directory reports them; and
 * for what an SSO says.
 *
 * @returns `undefined` if nothing is left
 */
export function displayName(name: unknown, charactersMax = NAME_CHARACTERS_MAX): string | undefined {
  const bounded = typeof name === "string" ? name.slice(0, 20 * charactersMax) : "";
  const visible = bounded
    .normalize("NFC")
    .replace(/\s/gu, " ")
    .replace(UNSEEN(), "")
    .replace(STACKED_MARKS(), "")
    .replace(/ +/g, " ")
    .trim();
  return visible === "" ? undefined : Array.from(visible).slice(0, charactersMax).join("");
}

/**
 * Checks whether a name has invisible characters. Names that decide who may see what, such as those of groups, are then refused:
 * removing the characters would make a different name.
 */
export function hidesCharacters(name: string): boolean {
  return name.replace(JOINERS, "").search(UNSEEN()) >= 0;
}
