import { sha256 } from "#crypto/hash.ts";
import { type FoundDocument, MARK_END, MARK_START, type SearchPage } from "./search.ts";

interface SnippetRange {
  readonly startIndex: number;
  readonly endIndex: number;
  readonly type: "BOLD";
}

/** A search page in the shape of the wire contract. */
export async function toSearchAnswer(page: SearchPage, requestId: string, backendTimeMillis: number) {
  return {
    results: await Promise.all(page.documents.map(toResult)),
    hasMoreResults: page.cursor !== undefined,
    ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
    trackingToken: requestId,
    requestID: requestId,
    backendTimeMillis,
    metadata: { searchedQuery: page.searchedQuery },
  };
}

async function toResult(document: FoundDocument) {
  const { datasource, objectType, title, url, createdAt, updatedAt } = document;
  return {
    url,
    title,
    document: {
      id: `${datasource}:${document.externalId}`,
      datasource,
      docType: objectType,
      title,
      url,
      metadata: {
        datasource,
        objectType,
        ...(createdAt === null ? {} : { createTime: isoTime(createdAt) }),
        ...(updatedAt === null ? {} : { updateTime: isoTime(updatedAt) }),
        ...(await toAuthor(document)),
      },
    },
    snippets: [toSnippet(document.snippet)],
  };
}

/** Clients expect name and id together or not at all. The id is one-way: an author's address is not everyone's to read. */
async function toAuthor({ authorName, authorEmail }: FoundDocument) {
  if (authorName === null || authorEmail === null) return {};
  return { author: { name: authorName, obfuscatedId: (await sha256(authorEmail)).slice(0, 22) } };
}

/** Turns marks into ranges over the text without them. */
export function toSnippet(marked: string): { text: string; ranges: SnippetRange[] } {
  const [before = "", ...marks] = marked.split(MARK_START);
  const ranges: SnippetRange[] = [];
  let text = before;
  for (const mark of marks) {
    const [bold = "", after = ""] = mark.split(MARK_END);
    ranges.push({ startIndex: text.length, endIndex: text.length + bold.length, type: "BOLD" });
    text += bold + after;
  }
  return { text, ranges };
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
