export const NAME_CHARACTERS_MAX = 100;

/** What hides, reverses or breaks text: control and format characters, private use, lone surrogates, line separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Marks beyond the second on one letter, which climb over the lines around a name and cover what the page says there. Written
 * languages need two after composition; marks that begin a name have no letter to stand on.
 */
const STACKED_MARKS = /(?<=\p{M}{2})\p{M}+|^\p{M}+/gu;

/**
 * A name as pages may show it: one line, without characters that hide, reverse, cover or imitate the text around it.
 *
 * @returns `undefined` when nothing is left
 */
export function displayName(name: string | undefined): string | undefined {
  const bounded = (name ?? "").slice(0, 20 * NAME_CHARACTERS_MAX);
  const visible = bounded
    .normalize("NFC")
    .replace(/\s/gu, " ")
    .replace(UNSEEN, "")
    .replace(STACKED_MARKS, "")
    .replace(/ +/g, " ")
    .trim();
  return visible === "" ? undefined : Array.from(visible).slice(0, NAME_CHARACTERS_MAX).join("");
}
