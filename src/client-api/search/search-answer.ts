import { type AuthorIds, toDocumentAnswer } from "#client-api/document-answer.ts";
import { readable } from "#documents/words.ts";
import { type Facet, type FoundDocument, MARK_END, MARK_START, type SearchPage } from "./search.ts";

interface SnippetRange {
  readonly startIndex: number;
  readonly endIndex: number;
  readonly type: "BOLD";
}

/** A search page in the shape of the wire contract. */
export async function toSearchAnswer(
  page: SearchPage,
  authorIds: AuthorIds,
  requestId: string,
  backendTimeMillis: number,
) {
  return {
    results: await Promise.all(page.documents.map((found) => toResult(found, authorIds))),
    hasMoreResults: page.cursor !== undefined,
    ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
    ...(page.facets === undefined ? {} : { facetResults: page.facets.map(toFacetResult) }),
    trackingToken: requestId,
    requestID: requestId,
    backendTimeMillis,
    metadata: { searchedQuery: page.searchedQuery },
  };
}

async function toResult(found: FoundDocument, authorIds: AuthorIds) {
  const document = await toDocumentAnswer(found, authorIds);
  return { url: document.url, title: document.title, document, snippets: [toSnippet(found.snippet)] };
}

function toFacetResult({ field, isMultiple, buckets, hasMoreBuckets }: Facet) {
  return {
    sourceName: field,
    operatorName: isMultiple ? "SelectMultiple" : "SelectSingle",
    buckets: buckets.map(({ value, count }) => ({ count, value: { stringValue: value } })),
    hasMoreBuckets,
  };
}

/** Turns marks into ranges over the text that people read: without the marks, and without the index's cuts. */
export function toSnippet(marked: string): { text: string; ranges: SnippetRange[] } {
  const [before = "", ...marks] = readable(marked).split(MARK_START);
  const ranges: SnippetRange[] = [];
  let text = before;
  for (const mark of marks) {
    const [bold = "", after = ""] = mark.split(MARK_END);
    ranges.push({ startIndex: text.length, endIndex: text.length + bold.length, type: "BOLD" });
    text += bold + after;
  }
  return { text, ranges };
}
