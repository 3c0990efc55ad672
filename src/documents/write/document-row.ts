import type { FilterTerm, IndexableDocument } from "#documents/engine.ts";
import { INDEXED_CHARACTERS_MAX } from "#documents/index-rules.ts";
import { wordsIn } from "#documents/words.ts";
import { foldTerm } from "#protocol/folding.ts";
import type { DocumentTexts } from "./word-counts.ts";

/** The columns that a pipeline writes in addition to permissions, in the order of {@link writtenValues}. */
export const WRITTEN_COLUMNS =
  "object_type, title, url, author_name, author_email, created_at, updated_at, tags, summary, keywords, content_hash, anchors, body";

/** The columns of a document, named as the members of what is exported of it. */
export const EXPORTED_COLUMNS = `id, access_class AS accessClass, datasource, external_id AS externalId, object_type AS objectType, title, url,
  author_name AS authorName, author_email AS authorEmail, created_at AS createdAt, updated_at AS updatedAt, tags, summary,
  keywords, content_hash AS contentHash, anchors, indexed_at AS indexedAt, body`;

export function writtenValues(document: IndexableDocument): (string | number | null)[] {
  return [
    document.objectType,
    document.title,
    document.url,
    document.authorName,
    document.authorEmail,
    document.createdAt,
    document.updatedAt,
    JSON.stringify(document.tags),
    document.summary,
    document.keywords,
    // Both are missing in backups that are older than the columns.
    document.contentHash ?? null,
    document.anchors ?? null,
    document.body,
  ];
}

/** The columns of a document's row that are indexed. */
export interface IndexedRow {
  readonly title: string;
  readonly keywords: string;
  readonly metadata_words: string;
  /** JSON. */
  readonly metadata_terms: string;
  readonly author_name: string | null;
  readonly author_email: string | null;
  readonly body: string;
}

/** Of a body, one character more than is indexed, which shows where the last word ends. */
export const INDEXED_COLUMNS = `title, keywords, metadata_words, metadata_terms, author_name, author_email,
  substr(body, 1, ${INDEXED_CHARACTERS_MAX + 1}) AS body`;

export function textsOf({ title, keywords, metadata_words: metadata, body }: IndexedRow): DocumentTexts {
  return { title, keywords, metadata, body };
}

/** Returns the filter terms of a document's author: the name, the address, and the words of both, without the address's domain. */
export function authorTerms({ author_email: email, author_name: name }: IndexedRow): FilterTerm[] {
  const wholes = [email, name].filter((one) => one !== null);
  const words = wholes.flatMap((one) => wordsIn(one === email ? one.replace(/@.*/s, "") : one));
  return [...wholes.map((one) => ["from", foldTerm(one)] as const), ...words.map((word) => ["name", word] as const)];
}
