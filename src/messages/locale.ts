import { ENGLISH, type MessageKey, type ValuesOf } from "./english.ts";

/** The languages that people can read our pages in, with the direction of their writing. */
export const LANGUAGES = { en: "ltr", de: "ltr" } as const satisfies Readonly<Record<string, "ltr" | "rtl">>;

export type Language = keyof typeof LANGUAGES;

/** The texts of a language other than English, as its file has them. */
export interface Translation {
  readonly messages: Readonly<Record<MessageKey, string>>;
  /** What a refusal says, by its reason, or by its code where the reason has no text of its own. */
  readonly refusals: Readonly<Record<string, string>>;
}

/** A language and its texts. */
export interface Locale extends Translation {
  readonly language: Language;
}

/** Refusals have their English where they are thrown. */
export const ENGLISH_LOCALE: Locale = { language: "en", messages: ENGLISH, refusals: {} };

/** Longer headers than browsers send are read up to here, so that reading one costs little. */
const HEADER_LENGTH_MAX = 1000;

const RANGE = /^\s*([A-Za-z0-9-]{1,40}|\*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{1,3})?)\s*)?$/;

/**
 * The language of a person's pages: the app's `ui_locales` before the browser's `Accept-Language`, and English where neither names
 * a language that we have (OpenID Connect Core §3.1.2.1, RFC 9110 §12.5.4). What is malformed is ignored.
 */
export function chooseLanguage(
  uiLocales: string | null | undefined,
  acceptLanguage: string | null | undefined,
): Language {
  return known((uiLocales ?? "").split(" ")) ?? known(rangesOf(acceptLanguage ?? "")) ?? "en";
}

/** A message with its values in place, as parts: a value may be more than text. */
export function partsOf<Key extends MessageKey, Value>(
  { messages }: Locale,
  key: Key,
  values: ValuesOf<Key, Value>,
): (string | Value)[] {
  const named = values as Readonly<Record<string, Value>>;
  return messages[key].split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : (named[part] ?? "")));
}

/** A message with its values in place. */
export function textOf<Key extends MessageKey>(
  locale: Locale,
  key: Key,
  values: ValuesOf<Key, string | number>,
): string {
  return partsOf(locale, key, values).join("");
}

/** The first range that means a language of ours: `de-AT` means German (lookup; RFC 4647 §3.4), `*` any, so English. */
function known(ranges: readonly string[]): Language | undefined {
  for (const range of ranges) {
    const [language = ""] = range.toLowerCase().split("-");
    if (language === "*") return "en";
    if (Object.hasOwn(LANGUAGES, language)) return language as Language;
  }
  return undefined;
}

/** The ranges of an `Accept-Language`, best first, without those of weight 0. */
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
