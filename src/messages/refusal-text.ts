import type { Locale } from "./locale.ts";

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
