import { type Words, wordsOf } from "./catalogue.ts";
import { ENGLISH, type MessageKey, type ValuesOf } from "./english.ts";

/** The languages of the pages that people see, with their text direction. */
export const LANGUAGES = { en: "ltr", de: "ltr" } as const satisfies Readonly<Record<string, "ltr" | "rtl">>;

export type Language = keyof typeof LANGUAGES;

/** The texts of a language other than English, as stored in its file. */
export interface Translation {
  readonly messages: Readonly<Record<MessageKey, string>>;
  /** The texts of refusals by reason, or by code for reasons without a text. */
  readonly refusals: Readonly<Record<string, string>>;
}

/** A language and its texts. Those of the console are in English, except on its pages. */
export interface Locale extends Translation, Words {
  readonly language: Language;
}

/** It has no refusals, because their English text is where they are thrown. */
export const ENGLISH_LOCALE: Locale = {
  language: "en",
  messages: ENGLISH,
  refusals: {},
  ...wordsOf("en", { texts: {}, sentences: {} }),
};

/** The most characters of `Accept-Language` that are read, so that reading it costs little. Browsers send less. */
const HEADER_LENGTH_MAX = 1000;

const RANGE = /^\s*([A-Za-z0-9-]{1,40}|\*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{1,3})?)\s*)?$/;

/**
 * Chooses the language of a person's pages: the app's `ui_locales`, then the browser's `Accept-Language`, then English if neither
 * contains a supported language (OpenID Connect Core §3.1.2.1, RFC 9110 §12.5.4). Malformed parts are ignored.
 */
export function chooseLanguage(
  uiLocales: string | null | undefined,
  acceptLanguage: string | null | undefined,
): Language {
  return languageIn((uiLocales ?? "").split(" ")) ?? languageIn(rangesOf(acceptLanguage ?? "")) ?? "en";
}

/**
 * Returns the parts of a message with its values inserted. A value can be something other than text, such as an element.
 */
export function partsOf<Key extends MessageKey, Value>(
  { messages }: Locale,
  key: Key,
  values: ValuesOf<Key, Value>,
): (string | Value)[] {
  const named = values as Readonly<Record<string, Value>>;
  return messages[key].split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : (named[part] ?? "")));
}

/** Returns a message with its values inserted. */
export function textOf<Key extends MessageKey>(
  locale: Locale,
  key: Key,
  values: ValuesOf<Key, string | number>,
): string {
  return partsOf(locale, key, values).join("");
}

/**
 * Returns the language of the first supported range. `de-AT` means German (lookup, RFC 4647 §3.4); `*` means any, so English.
 */
function languageIn(ranges: readonly string[]): Language | undefined {
  for (const range of ranges) {
    const [language = ""] = range.toLowerCase().split("-");
    if (language === "*") return "en";
    if (Object.hasOwn(LANGUAGES, language)) return language as Language;
  }
  return undefined;
}

/** Returns the ranges of an `Accept-Language` header, best first, without those of weight 0. */
function rangesOf(header: string): string[] {
  return header
    .slice(0, HEADER_LENGTH_MAX)
    .split(",")
    .flatMap((part) => {
      const [, range, weight = "1"] = RANGE.exec(part) ?? [];
      return range === undefined || Number(weight) === 0 ? [] : [{ range, weight: Number(weight) }];
    })
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range);
}

/** The text of a refusal on a page. */
export interface RefusalText {
  readonly text: string;
  /** The English text for the app's developer, if there is no translation. */
  readonly quoted?: string;
}

/**
 * Returns a refusal's text in the reader's language, by reason or else by code. The English text is in the refusal itself.
 */
export function refusalText(
  { known, language, messages, refusals }: Locale,
  { reason, code, description }: { readonly reason: string; readonly code: string; readonly description: string },
): RefusalText {
  if (language === "en") return { text: description };
  const said = known(description);
  const text = refusals[reason] ?? (said === description ? refusals[code] : said);
  return text === undefined ? { text: messages.refusal_other, quoted: description } : { text };
}
