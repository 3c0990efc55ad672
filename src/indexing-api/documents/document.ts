import { anchorsOf } from "#documents/anchors.ts";
import { canonicalUrl } from "#documents/document-name.ts";
import type { IndexableDocument } from "#documents/engine.ts";
import { type HtmlText, textOfHtml } from "#documents/html-text.ts";
import { INDEXED_CHARACTERS_MAX } from "#documents/index-rules.ts";
import { textOfMarkdown } from "#documents/markdown.ts";
import { indexable } from "#documents/words.ts";
import { closed, describeIssue, emailAddress, unused, type Warning, warningsOf } from "#platform/members.ts";
import { permissionsSchema, principalsOf } from "#indexing-api/permissions/permissions.ts";
import type { DatasourceCoverage, Read } from "#indexing-api/request.ts";
import { groupsIn } from "#indexing-api/unknown-groups.ts";
import { mistakesIn } from "./mistakes.ts";
import {
  contentHash,
  datasourceName,
  documentId,
  malformed,
  objectTypeName,
  personName,
} from "#indexing-api/vocabulary.ts";
import * as v from "valibot";
import { foldName } from "#protocol/folding.ts";
import { utf8Length } from "#protocol/utf8-length.ts";

/** Pipelines cut longer texts: nobody reads further in a snippet. */
const TEXT_CHARACTERS_MAX = 1_000_000;

/**
 * A row can have 2 MB, in all columns together. The rest is for what this service adds and for custom metadata. A larger document
 * is the pipeline's mistake and is refused as such: the database's own error would look like an outage that is worth a retry.
 */
const DOCUMENT_BYTES_MAX = 1_800_000;

const SECONDS = "expected seconds since 1970 as a whole number, such as 1764547200";

const epochSeconds = v.pipe(
  v.number(SECONDS),
  v.integer(SECONDS),
  v.minValue(0),
  v.maxValue(253_402_300_799, `${SECONDS}, not milliseconds`),
);

/** How pipelines get at the text of a file. */
const PUSH = "send the text of the file, or push the file with `npm run push` (docs/push.md)";

const text = (charactersMax: number) =>
  v.pipe(
    closed({
      mimeType: v.optional(
        v.pipe(
          v.string(),
          v.check((type) => !isBinary(type), `this is no text: ${PUSH}`),
        ),
      ),
      textContent: v.optional(v.pipe(v.string(), v.maxLength(charactersMax)), ""),
    }),
    v.transform(({ mimeType = "", textContent }) => textOf(mimeType, textContent)),
  );

/** Of a URL as sent and as stored. */
const URL_CHARACTERS_MAX = 2000;

/** Pipelines send more of a document than is used here, so unknown members get a warning and are not refused. */
export const documentSchema = v.object({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName, "Document"),
  id: documentId,
  title: v.optional(v.pipe(v.string(), v.maxLength(1000)), ""),
  viewURL: v.pipe(
    v.string(),
    v.url(),
    v.maxLength(URL_CHARACTERS_MAX),
    v.regex(/^https?:\/\/\P{Cc}*$/iu, "expected an http or https URL without control characters"),
    v.transform(canonicalUrl),
    v.maxLength(URL_CHARACTERS_MAX),
  ),
  body: v.optional(text(TEXT_CHARACTERS_MAX)),
  summary: v.optional(v.union([v.string(), text(TEXT_CHARACTERS_MAX)])),
  author: v.optional(
    closed({ email: v.optional(emailAddress), name: v.optional(personName), datasourceUserId: unused }),
  ),
  createdAt: v.optional(epochSeconds),
  updatedAt: v.optional(epochSeconds),
  tags: v.optional(v.array(v.pipe(v.string(), v.maxLength(200)))),
  contentHash: v.optional(contentHash),
  permissions: v.optional(permissionsSchema),
});

/** A list of documents in a request. */
export interface DocumentList {
  readonly entries: readonly unknown[];
  /** Returns the path of an entry in messages: `document`, or `documents[3]`. */
  at(index: number): string;
  /** If the request names a datasource, every document belongs to it and doesn't have to name it again. */
  readonly datasource?: unknown;
}

/**
 * Reads the documents of a request (wire contract). All of them are checked before any is stored.
 *
 * @throws {ApiError} `bad_request`, naming the document and the member that is wrong; what `requireCoverage` throws for any
 *   datasource that is named, before anything else of the documents is read
 */
export function parseDocuments(
  list: DocumentList,
  requireCoverage: DatasourceCoverage,
): Omit<Required<Read<unknown>>, "request"> & { readonly documents: readonly IndexableDocument[] } {
  const entries = list.entries.map((entry, index) => ofDatasource(entry, list, list.at(index)));
  for (const datasource of new Set(entries.map(datasourceOf))) {
    if (datasource !== undefined) requireCoverage(datasource);
  }
  const warnings: Warning[] = [];
  const documents = entries.map((entry, index) => parseDocument(entry, list.at(index), warnings));
  warnings.push(...entries.flatMap((entry, index) => warningsOf(documentSchema, entry, list.at(index))));
  const groups = groupsIn(documents, (index) => `${list.at(index)}.permissions`);
  return { documents, groups, warnings: [...mistakesIn(documents, list), ...warnings] };
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
  return typeof name === "string" ? foldName(name) : name;
}

function datasourceOf(entry: unknown): string | undefined {
  const { datasource } = (entry ?? {}) as { datasource?: unknown };
  const parsed = v.safeParse(datasourceName, datasource);
  return parsed.success ? parsed.output : undefined;
}

/** @param warnings gets what isn't indexed of the document's texts */
function parseDocument(entry: unknown, at: string, warnings: Warning[]): IndexableDocument {
  const parsed = v.safeParse(documentSchema, entry, { abortEarly: true });
  if (!parsed.success) throw malformed(describeIssue(parsed.issues[0], at, `${at}.`));
  const { datasource, id, objectType, author, body, permissions, tags = [], ...rest } = parsed.output;
  const summary = typeof rest.summary === "object" ? rest.summary.text : rest.summary;
  for (const [member, read] of Object.entries({ body, summary: rest.summary })) {
    const hidden = typeof read === "object" ? read.hiddenCharacters : 0;
    if (hidden > 0) warnings.push({ path: `${at}.${member}`, message: hiddenText(hidden) });
  }
  const bodyText = indexable(body?.text ?? "");
  const document = {
    datasource,
    externalId: id,
    objectType,
    title: indexable(rest.title) || indexable(id),
    body: bodyText,
    anchors: anchorsOf(bodyText, body?.headings ?? []),
    summary: summary === undefined ? null : indexable(summary),
    // A line for each, so that no phrase spans two tags.
    keywords: indexable([summary ?? "", ...tags].join("\n")),
    url: rest.viewURL,
    authorName: author?.name ?? null,
    authorEmail: author?.email ?? null,
    createdAt: rest.createdAt ?? null,
    updatedAt: rest.updatedAt ?? null,
    tags,
    contentHash: rest.contentHash ?? null,
    principals: principalsOf(datasource, permissions, `${at}.permissions`),
  };
  const { title, keywords, url } = document;
  const texts = [title, document.body, keywords];
  const bytes = bytesOf([...texts, document.summary ?? "", url, JSON.stringify(tags)]);
  if (bytes > DOCUMENT_BYTES_MAX) {
    throw malformed(`${at} is not acceptable: its texts and tags are more than ${DOCUMENT_BYTES_MAX} bytes`);
  }
  const left = texts.join("").length - INDEXED_CHARACTERS_MAX;
  if (left > 0) warnings.push({ path: `${at}.body`, message: unindexedText(left) });
  return document;
}

function hiddenText(characters: number): string {
  return `${characters} characters that readers of the page can't see were left out`;
}

function unindexedText(characters: number): string {
  return `Search doesn't find the last ${characters} characters: split the document into chapters`;
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, each) => sum + utf8Length(each), 0);
}

/** Checks whether a type is that of a file without text of its own. XML and JSON in disguise are text. */
function isBinary(mimeType: string): boolean {
  const type = mimeType.trim().toLowerCase();
  if (/[+/](?:xml|json)\b/.test(type)) return false;
  return /^(?:image|audio|video|font)\/|^application\/(?:pdf|zip|gzip|octet-stream|msword|vnd\.|x-(?:7z|rar|tar|zip))/.test(
    type,
  );
}

/** Returns what a reader sees of a text, if its type says how. Any other text stays as it is. */
function textOf(mimeType: string, content: string): HtmlText {
  if (/^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(mimeType)) return textOfHtml(content);
  if (/^\s*text\/(?:x-)?markdown\s*(?:;|$)/i.test(mimeType)) return textOfMarkdown(content);
  return { text: content, hiddenCharacters: 0, headings: [] };
}
