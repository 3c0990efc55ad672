import {
  bytesOfPrincipals,
  type Principal,
  permissionsSchema,
  principalsOf,
} from "#indexing-api/permissions/permissions.ts";
import {
  type DatasourceCoverage,
  datasourceName,
  describeIssue,
  documentId,
  emailAddress,
  malformed,
  objectTypeName,
  personName,
} from "#indexing-api/vocabulary.ts";
import { foldTerm } from "#protocol/folding.ts";
import { indexable } from "#documents/words.ts";
import * as v from "valibot";

/** Longer texts are cut by the pipeline: nobody reads further in a snippet. */
const TEXT_CHARACTERS_MAX = 1_000_000;

/**
 * D1 holds 2 MB in a row, whatever the columns; the rest is for what we add and for custom metadata. A larger document is the
 * pipeline's mistake, and is told so: the database's own refusal would look like an outage that is worth another try.
 */
export const DOCUMENT_BYTES_MAX = 1_800_000;

const epochSeconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(253_402_300_799));

export const documentSchema = v.object({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName, "Document"),
  id: documentId,
  title: v.optional(v.pipe(v.string(), v.maxLength(1000)), ""),
  viewURL: v.pipe(v.string(), v.url(), v.maxLength(2000), v.regex(/^https?:/i, "an http or https URL")),
  body: v.optional(
    v.object({
      mimeType: v.optional(v.string()),
      textContent: v.optional(v.pipe(v.string(), v.maxLength(TEXT_CHARACTERS_MAX)), ""),
    }),
  ),
  summary: v.optional(v.union([v.string(), v.object({ textContent: v.optional(v.string()) })])),
  author: v.optional(v.object({ email: v.optional(emailAddress), name: v.optional(personName) })),
  createdAt: v.optional(epochSeconds),
  updatedAt: v.optional(epochSeconds),
  tags: v.optional(v.array(v.pipe(v.string(), v.maxLength(200)))),
  permissions: v.optional(permissionsSchema),
});

/** A value of a built-in field that documents can be filtered by: field, then the folded value. */
export type FilterTerm = readonly [field: "datasource" | "type" | "from", value: string];

/** A document as a pipeline sends it, checked, its texts as the index takes them. */
export interface IndexableDocument {
  readonly datasource: string;
  readonly externalId: string;
  readonly objectType: string;
  readonly title: string;
  readonly body: string;
  readonly summary: string | null;
  readonly url: string;
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly tags: readonly string[];
  /** What it is found by beside title and body. */
  readonly keywords: string;
  readonly terms: readonly FilterTerm[];
  /** Who may see it. Empty: nobody. */
  readonly principals: readonly Principal[];
  /** Of all that is kept of it, in UTF-8. */
  readonly bytes: number;
}

/** A list of documents in a request. */
export interface DocumentList {
  readonly entries: readonly unknown[];
  /** What stands before an entry's place in messages: `document`, or `documents[3]`. */
  at(index: number): string;
  /** Where the request names a datasource, every document is of it, and need not name it again. */
  readonly datasource?: unknown;
}

/**
 * Reads the documents of a request (wire contract). All of them are checked before any is stored.
 *
 * @throws {ApiError} `bad_request`, naming the document and the member that is wrong; what `requireCoverage` throws for any
 *   datasource that is named, before anything else of the documents is read
 */
export function parseDocuments(list: DocumentList, requireCoverage: DatasourceCoverage): IndexableDocument[] {
  const entries = list.entries.map((entry, index) => ofDatasource(entry, list, list.at(index)));
  for (const datasource of new Set(entries.map(datasourceOf))) {
    if (datasource !== undefined) requireCoverage(datasource);
  }
  return entries.map((entry, index) => parseDocument(entry, list.at(index)));
}

function ofDatasource(entry: unknown, { datasource }: DocumentList, at: string): unknown {
  if (datasource === undefined || typeof entry !== "object" || entry === null) return entry;
  const own = "datasource" in entry && entry.datasource !== undefined ? entry.datasource : datasource;
  if (lowerCase(own) !== lowerCase(datasource)) {
    throw malformed(`${at}.datasource differs from the request's datasource`);
  }
  return { ...entry, datasource: own };
}

function lowerCase(name: unknown): unknown {
  return typeof name === "string" ? name.toLowerCase() : name;
}

function datasourceOf(entry: unknown): string | undefined {
  const { datasource } = (entry ?? {}) as { datasource?: unknown };
  const parsed = v.safeParse(datasourceName, datasource);
  return parsed.success ? parsed.output : undefined;
}

function parseDocument(entry: unknown, at: string): IndexableDocument {
  const parsed = v.safeParse(documentSchema, entry, { abortEarly: true });
  if (!parsed.success) throw malformed(describeIssue(parsed.issues[0], at, `${at}.`));
  const document = parsed.output;
  const { datasource, id, objectType, author, tags = [] } = document;
  const summary = typeof document.summary === "string" ? document.summary : document.summary?.textContent;
  const principals = principalsOf(datasource, document.permissions);
  const terms = [
    ["datasource", datasource],
    ["type", foldTerm(objectType)],
    ...[author?.email, author?.name]
      .filter((name) => name !== undefined)
      .map((name) => ["from", foldTerm(name)] as const),
  ] as const;
  const texts = {
    title: indexable(document.title) || indexable(id),
    body: indexable(document.body?.textContent ?? ""),
    summary: summary === undefined ? null : indexable(summary),
    // A line each, so that no phrase reaches over two tags.
    keywords: indexable([summary ?? "", ...tags].join("\n")),
  };
  const bytes =
    bytesOf([texts.title, texts.body, texts.summary ?? "", texts.keywords, document.viewURL, JSON.stringify(tags)]) +
    bytesOfPrincipals(principals);
  if (bytes > DOCUMENT_BYTES_MAX) {
    throw malformed(
      `${at} is not acceptable: its texts, tags and permissions are more than ${DOCUMENT_BYTES_MAX} bytes`,
    );
  }
  return {
    datasource,
    externalId: id,
    objectType,
    ...texts,
    url: document.viewURL,
    authorName: author?.name ?? null,
    authorEmail: author?.email ?? null,
    createdAt: document.createdAt ?? null,
    updatedAt: document.updatedAt ?? null,
    tags,
    terms,
    principals,
    bytes,
  };
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
}
