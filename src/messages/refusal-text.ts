import type { Locale } from "./locale.ts";

/** A refusal as a page says it. */
export interface RefusalText {
  readonly text: string;
  /** The English text, where there is no other: it is for the app's developer. */
  readonly quoted?: string;
}

/** A refusal in the reader's language: by its reason, else by its code; English is written where it is thrown. */
export function refusalText(
  { language, messages, refusals }: Locale,
  { reason, code, description }: { readonly reason: string; readonly code: string; readonly description: string },
): RefusalText {
  if (language === "en") return { text: description };
  const text = refusals[reason] ?? refusals[code];
  return text === undefined ? { text: messages.refusal_other, quoted: description } : { text };
}
