import { documentId } from "#client-api/document-answer.ts";
import { urlOfSection } from "#documents/anchors.ts";
import type { FoundDocument } from "#documents/engine.ts";
import type { SearchPage } from "#client-api/search/search.ts";
import { readable } from "#documents/words.ts";

/** Returns the members of a found document that every tool returns. */
export function toFound(found: FoundDocument) {
  return {
    id: documentId(found),
    title: readable(found.title),
    url: urlOfSection(found.url, found.section),
    text: passageOf(found.excerpt.text),
    ...(found.copies && { similar_results: found.copies }),
  };
}

/** How much of a document a result shows: enough to tell whether it is worth reading. */
export const PASSAGE_CHARACTERS = 600;

/** Returns an excerpt, which may be somewhat longer than was asked for, up to the last whole word that fits. */
function passageOf(text: string): string {
  return text.length <= PASSAGE_CHARACTERS ? text : `${text.slice(0, PASSAGE_CHARACTERS - 1).replace(/\s\S*$/, "")}…`;
}

/** Returns what every search says about all its results: how many there are, and which words were not found as they were typed. */
export function toSummary({ total, missingWords, correctedWords }: SearchPage) {
  return {
    ...(total && total.documents > 0 && { total_results: { count: total.documents, is_exact: total.isExact } }),
    ...(missingWords.length === 0 ? {} : { missing_words: missingWords }),
    ...(correctedWords.length === 0 ? {} : { corrected_words: correctedWords }),
  };
}
