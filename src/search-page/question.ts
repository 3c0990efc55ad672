import type { Asked } from "./asked.ts";

/** How questions begin, in English and German. At least two more words follow. */
const OPENING =
  /^(?:how|what|who|whom|whose|when|where|why|which|can|could|may|must|should|do|does|did|is|are|was|were|will|has|have|wie|wer|wem|wen|wann|wo|wohin|woher|warum|wieso|weshalb|welche[mnrs]?|kann|können|darf|dürfen|muss|müssen|soll|sollen|gibt|ist|sind|hat|haben)\s+\S+\s+\S/i;

/** A question mark after at least two words. */
const QUESTION_MARK = /[?？]$/;

/** Checks whether a search is a question, so that an answer is worth a second search. Filters don't apply to answers. */
export function isQuestion({ query, filters, since, like, cursors }: Asked): boolean {
  const text = query.trim();
  const isWhole = filters.length === 0 && since === undefined && like === undefined && cursors.length === 0;
  return isWhole && (OPENING.test(text) || (QUESTION_MARK.test(text) && /\s/.test(text)));
}
