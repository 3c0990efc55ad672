import { type AuthorIdOf, toDocumentAnswer } from "#client-api/document-answer.ts";
import { urlOfSection } from "#documents/anchors.ts";
import type { Excerpt, Facet, FoundDocument } from "#documents/engine.ts";
import type { SearchPage } from "./search.ts";

/** Returns a search page as in the wire contract. */
export async function toSearchAnswer(
  page: SearchPage,
  authorIdOf: AuthorIdOf,
  requestId: string,
  backendTimeMillis: number,
) {
  return {
    results: await Promise.all(page.documents.map((found) => toResult(found, authorIdOf))),
    ...(page.total && { totalResults: { count: page.total.documents, isExact: page.total.isExact } }),
    hasMoreResults: page.cursor !== undefined,
    ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
    ...(page.facets === undefined ? {} : { facetResults: page.facets.map(toFacetResult) }),
    trackingToken: requestId,
    requestID: requestId,
    backendTimeMillis,
    metadata: {
      searchedQuery: page.searchedQuery,
      ...page.usedSizes,
      ...(page.missingWords.length === 0 ? {} : { missingWords: page.missingWords }),
      ...(page.correctedWords.length === 0 ? {} : { correctedWords: page.correctedWords }),
    },
  };
}

async function toResult(found: FoundDocument, authorIdOf: AuthorIdOf) {
  const document = await toDocumentAnswer(found, authorIdOf);
  return {
    url: urlOfSection(document.url, found.section),
    title: document.title,
    document,
    snippets: [toSnippet(found.excerpt)],
    ...(found.copies && { similarResults: found.copies }),
  };
}

function toFacetResult({ field, isMultiple, buckets, hasMoreBuckets }: Facet) {
  return {
    sourceName: field,
    operatorName: isMultiple ? "SelectMultiple" : "SelectSingle",
    buckets: buckets.map(({ value, count }) => ({ count, value: { stringValue: value } })),
    hasMoreBuckets,
  };
}

/** Returns an excerpt with the ranges that match the search. */
export function toSnippet({ text, ranges }: Excerpt) {
  return { text, ranges: ranges.map(([startIndex, endIndex]) => ({ startIndex, endIndex, type: "BOLD" })) };
}
