import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Returns a refusal's reason as text for administrators: reasons consist of words that say what was wrong. */
export function wordsOf(reason: RefusalReason): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1).replaceAll("_", " ");
}
