import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";

/** Longer texts are cut by the pipeline: nobody reads further in a snippet. */
const TEXT_CHARACTERS_MAX = 1_000_000;

/**
 * D1 holds 2 MB in a row, whatever the columns; the rest is for what we add. A larger document is the pipeline's mistake, and
 * is told so: the database's own refusal would look like an outage that is worth another try.
 */
const DOCUMENT_BYTES_MAX = 1_800_000;

const DOCUMENTS_MAX = 100;

const datasourceName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/, "letters, digits, dash and underscore, at most 50"),
);

const epochSeconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(253_402_300_799));

const email = v.pipe(v.string(), v.regex(/^[^@\s]{1,64}@[^@\s]{1,255}$/, "an email address"), v.toLowerCase());

const groupName = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

const permissionsSchema = v.object({
  allowedUsers: v.optional(v.array(v.object({ email })), []),
  allowedGroups: v.optional(v.array(groupName), []),
  allowAnonymousAccess: v.optional(v.boolean(), false),
  allowAllDatasourceUsersAccess: v.optional(v.boolean(), false),
});

const documentSchema = v.object({
  datasource: datasourceName,
  objectType: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100)), "Document"),
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  title: v.optional(v.pipe(v.string(), v.maxLength(1000)), ""),
  viewURL: v.pipe(v.string(), v.url(), v.maxLength(2000), v.regex(/^https?:/i, "an http or https URL")),
  body: v.optional(
    v.object({
      mimeType: v.optional(v.string()),
      textContent: v.optional(v.pipe(v.string(), v.maxLength(TEXT_CHARACTERS_MAX)), ""),
    }),
  ),
  summary: v.optional(v.union([v.string(), v.object({ textContent: v.optional(v.string()) })])),
  author: v.optional(v.object({ email: v.optional(email), name: v.optional(v.pipe(v.string(), v.maxLength(200))) })),
  createdAt: v.optional(epochSeconds),
  updatedAt: v.optional(epochSeconds),
  tags: v.optional(v.array(v.pipe(v.string(), v.maxLength(200)))),
  permissions: v.optional(permissionsSchema),
});

/** A document as a pipeline sends it, checked. */
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
  /** Who may see it. Empty: nobody. */
  readonly principals: readonly Principal[];
}

/** Someone whom permissions can name. */
export interface Principal {
  readonly kind: "everyone" | "datasource" | "person" | "group";
  readonly datasource: string;
  readonly name: string;
}

/**
 * Reads the documents of `indexdocument` and `indexdocuments` (wire contract). All of them are checked before any is stored.
 *
 * @throws {ApiError} `bad_request`, naming the document and the member that is wrong
 */
export function parseDocuments(body: Readonly<Record<string, unknown>>, single: boolean): IndexableDocument[] {
  const { documents, document, datasource } = body;
  const list: unknown = single ? [document] : documents;
  if (!Array.isArray(list) || list.length === 0 || list.length > DOCUMENTS_MAX) {
    throw malformed(single ? "document is missing" : `documents is an array of 1 to ${DOCUMENTS_MAX}`);
  }
  return list.map((entry: unknown, index) => {
    const at = single ? "document" : `documents[${index}]`;
    const parsed = parseDocument(entry, at);
    if (!single && datasource !== undefined && parsed.datasource !== datasource) {
      throw malformed(`${at}.datasource differs from the request's datasource`);
    }
    return parsed;
  });
}

function parseDocument(entry: unknown, at: string): IndexableDocument {
  const parsed = v.safeParse(documentSchema, entry, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const member = v.getDotPath(issue);
    throw malformed(`${member === null ? at : `${at}.${member}`} is not acceptable: ${issue.message}`);
  }
  refuseIntersections(entry, at);
  const document = parsed.output;
  const summary = typeof document.summary === "string" ? document.summary : document.summary?.textContent;
  return requireFits(at, {
    datasource: document.datasource,
    externalId: document.id,
    objectType: document.objectType,
    title: visibleText(document.title) || document.id,
    body: visibleText(document.body?.textContent ?? ""),
    summary: summary === undefined ? null : visibleText(summary),
    url: document.viewURL,
    authorName: document.author?.name ?? null,
    authorEmail: document.author?.email ?? null,
    createdAt: document.createdAt ?? null,
    updatedAt: document.updatedAt ?? null,
    tags: document.tags ?? [],
    principals: principalsOf(document.datasource, document.permissions),
  });
}

function requireFits(at: string, document: IndexableDocument): IndexableDocument {
  const { title, body, summary, url, tags, principals } = document;
  const texts = [title, body, summary ?? "", url, JSON.stringify(tags), JSON.stringify(principals)];
  const bytes = texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
  if (bytes <= DOCUMENT_BYTES_MAX) return document;
  throw malformed(`${at} is not acceptable: its texts, tags and permissions are more than ${DOCUMENT_BYTES_MAX} bytes`);
}

/** Ignoring an intersection could only hide documents, but a pipeline would believe that they are shared. */
function refuseIntersections(entry: unknown, at: string): void {
  const permissions = (entry as { permissions?: { allowedGroupIntersections?: unknown } }).permissions;
  const intersections = permissions?.allowedGroupIntersections;
  if (intersections === undefined || (Array.isArray(intersections) && intersections.length === 0)) return;
  throw malformed(`${at}.permissions.allowedGroupIntersections is not supported: name users and groups`);
}

function principalsOf(
  datasource: string,
  permissions: v.InferOutput<typeof permissionsSchema> | undefined,
): readonly Principal[] {
  if (!permissions) return [];
  return [
    ...(permissions.allowAnonymousAccess ? [{ kind: "everyone", datasource: "", name: "" } as const] : []),
    ...(permissions.allowAllDatasourceUsersAccess ? [{ kind: "datasource", datasource, name: "" } as const] : []),
    ...permissions.allowedUsers.map((user) => ({ kind: "person", datasource: "", name: user.email }) as const),
    ...permissions.allowedGroups.map((name) => ({ kind: "group", datasource, name }) as const),
  ];
}

/** Text without control characters: the index marks what it found with two of them. */
function visibleText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "");
}

function malformed(what: string): ApiError {
  return new ApiError("bad_request", { reason: "document_malformed", description: what });
}
