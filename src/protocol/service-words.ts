import { unicodePattern } from "./unicode-pattern.ts";

/** What clients see of the service's name. */
export interface ServiceWords {
  /** The header that announces an identity provider's token: `X-Acme-Search-Auth-Type`. */
  readonly authTypeHeader: string;
  /** The author of chat's answers: `ACME_SEARCH_AI`. */
  readonly chatAuthor: string;
}

/** Latin letters that Unicode doesn't decompose, as they are written without them. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};

const MARKS = unicodePattern(String.raw`\p{M}`, "gu");

/**
 * Derives the words from the service's name. A header's name is ASCII (RFC 9110 §5.6.2), so letters lose their diacritics, and
 * everything else but digits becomes a hyphen: `Crème & Brûlée 2` is `Creme-Brulee-2`.
 *
 * @returns `undefined` if nothing is left, as of a name without Latin letters and digits
 */
export function serviceWordsOf(name: string): ServiceWords | undefined {
  const word = name
    .normalize("NFKD")
    .replace(MARKS(), "")
    .replace(/[ßæœøłđðþı]/gi, (letter) => plainLetter(letter))
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  if (word === "") return undefined;
  return {
    authTypeHeader: `X-${word}-Auth-Type`,
    chatAuthor: `${word.toUpperCase().replaceAll("-", "_")}_AI`,
  };
}

function plainLetter(letter: string): string {
  const small = letter.toLowerCase();
  const plain = PLAIN_LETTERS[small] ?? "";
  return small === letter ? plain : plain.slice(0, 1).toUpperCase() + plain.slice(1);
}
