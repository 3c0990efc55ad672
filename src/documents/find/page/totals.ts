import type { DocumentTotal } from "#documents/engine.ts";
import type { Search, SearchResults } from "#documents/find/results.ts";
import type { DocumentTotals } from "#documents/sharding/shard-page.ts";

/**
 * Returns how many documents a search finds: with all words, and with some. Reads nothing. What wasn't counted is estimated from what
 * was, all of which the person may see.
 *
 * @param full the ranked documents with all words
 */
export function totalsOf(
  { eligible, question, limits }: Search,
  { ranked, tail, scored, unread, allWords }: SearchResults,
  full: ReadonlySet<number>,
): DocumentTotals {
  const found = (documents: number, isExact: boolean): DocumentTotal => ({
    documents,
    isExact: isExact && eligible.isExact,
  });
  if (tail?.expression === null) {
    const all = found(eligible.count, question.unwanted.length === 0);
    return { allWords: all, someWords: all };
  }
  // With fewer, all lists were read to their ends.
  const areAllScored = allWords === null || scored < limits.weighed;
  const someWords = found(ranked.length, areAllScored && unread === 0);
  if (allWords === null || allWords.isComplete) return { allWords: found(full.size, unread === 0), someWords };
  const { rows, count, isCertain } = allWords;
  if (isCertain) return { allWords: found(count.documents, count.isExact), someWords };
  const [passed, read] =
    rows.length === 0 ? [ranked.length, scored] : [rows.filter((row) => full.has(row)).length, rows.length];
  const share = Math.min(passed / Math.max(read - unread, 1), 1);
  return { allWords: found(Math.max(count.documents * share, full.size), false), someWords };
}
