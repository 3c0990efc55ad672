import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** A reason as administrators read it: each is spelt in words that say what was wrong. */
export function wordsOf(reason: RefusalReason): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1).replaceAll("_", " ");
}
