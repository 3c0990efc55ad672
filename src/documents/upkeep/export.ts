import { movedGroups } from "#documents/metadata/groups.ts";
import { principalsOf } from "#documents/principals.ts";
import type { Store } from "#documents/store.ts";
import { EXPORTED_COLUMNS } from "#documents/write/document-row.ts";
import type { ExportedDocument, ExportLine, ExportPage } from "./keeping.ts";

/** Limits of a page, which is one step for the engine and one response. A larger document is a page by itself. */
const ROWS_A_PAGE = 500;
const DOCUMENTS_A_PAGE = 250;
const CHARACTERS_A_PAGE = 1_000_000;

/** What a section is ordered by. The next page continues after the key of the last line. */
type ExportKey = readonly (string | number)[];

/** A line with its key. */
interface Exported {
  readonly key: ExportKey;
  readonly line: ExportLine;
}

interface Section {
  /** The key before the first line. */
  readonly start: ExportKey;
  readonly read: (store: Store, after: ExportKey) => readonly Exported[];
}

/**
 * The sections of the export, in order. Groups come after the documents that name them: otherwise, a group that is described while the
 * export runs would be missing, and the directory's group with that name would see the documents. An import writes the groups first, for
 * the same reason.
 */
const SECTIONS: readonly Section[] = [
  { start: [0], read: groupsOfMetadata },
  { start: ["", ""], read: documents },
  { start: ["", "", "", ""], read: memberships },
  { start: ["", ""], read: groups },
  { start: ["", ""], read: users },
];

/** Returns the next page of the export, from the place that an earlier page's `next` names. */
export function exportPage(store: Store, next: string | null): ExportPage {
  const [at, key] = next === null ? [0] : (JSON.parse(next) as [number, ExportKey?]);
  const section = SECTIONS[at];
  // A place of several shards, which nobody gets from one object, has a text here.
  const found = section?.read(store, Array.isArray(key) ? key : section.start) ?? [];
  const last = found.at(-1);
  return {
    lines: found.map(({ line }) => line),
    next: last ? JSON.stringify([at, last.key]) : at + 1 < SECTIONS.length ? JSON.stringify([at + 1]) : null,
  };
}

/** Checks whether a text has the form of a page's `next`, or of several shards': one of them, and the place in it. */
export function isExportPlace(text: string): boolean {
  try {
    const [at, key] = JSON.parse(text) as [unknown, unknown];
    if (typeof at !== "number" || !Number.isInteger(at) || at < 0) return false;
    if (key === null) return true;
    if (typeof key === "string") return isExportPlace(key);
    const start = SECTIONS[at]?.start;
    return (
      start !== undefined && (key === undefined || (key as ExportKey).map(kindOf).join() === start.map(kindOf).join())
    );
  } catch {
    return false;
  }
}

function kindOf(part: ExportKey[number]): string | false {
  return typeof part === "string" ? "text" : Number.isSafeInteger(part) && "number";
}

function groupsOfMetadata(store: Store, [after = 0]: ExportKey): Exported[] {
  const found = movedGroups(store, Number(after), ROWS_A_PAGE);
  return found.map(({ followedFrom: _followedFrom, ...group }) => ({
    key: [group.id],
    line: { metadataGroup: group },
  }));
}

function users(store: Store, after: ExportKey): Exported[] {
  const rows = store.exec<{ datasource: string; userId: string; email: string; name: string; isActive: number }>(
    `SELECT datasource, user_id AS userId, email, name, is_active AS isActive FROM datasource_users
     WHERE (datasource, user_id) > (?1, ?2) ORDER BY datasource, user_id LIMIT ${ROWS_A_PAGE}`,
    ...after,
  );
  return rows.map((row) => ({
    key: [row.datasource, row.userId],
    line: { user: { ...row, isActive: row.isActive === 1 } },
  }));
}

function groups(store: Store, after: ExportKey): Exported[] {
  const rows = store.exec<{ datasource: string; name: string; isDeleted: number }>(
    `SELECT datasource, name, is_deleted AS isDeleted FROM datasource_groups
     WHERE (datasource, name) > (?1, ?2) ORDER BY datasource, name LIMIT ${ROWS_A_PAGE}`,
    ...after,
  );
  return rows.map((row) => ({
    key: [row.datasource, row.name],
    line: { group: { ...row, isDeleted: row.isDeleted !== 0, isLeaving: row.isDeleted === 2 } },
  }));
}

function memberships(store: Store, after: ExportKey): Exported[] {
  const rows = store.exec<{ datasource: string; memberKind: "user" | "group"; member: string; groupName: string }>(
    `SELECT datasource, member_kind AS memberKind, member, group_name AS groupName FROM memberships
     WHERE (member_kind, member, datasource, group_name) > (?1, ?2, ?3, ?4) AND NOT (member_kind = 'user' AND EXISTS (
       SELECT 1 FROM leaving_users l WHERE l.datasource = memberships.datasource AND l.member = memberships.member))
     ORDER BY member_kind, member, datasource, group_name LIMIT ${ROWS_A_PAGE}`,
    ...after,
  );
  return rows.map((row) => ({
    key: [row.memberKind, row.member, row.datasource, row.groupName],
    line: { membership: row },
  }));
}

/** The columns of {@link EXPORTED_COLUMNS}. */
export interface DocumentRow extends Omit<ExportedDocument, "tags" | "principals" | "values"> {
  readonly id: number;
  readonly accessClass: number;
  readonly tags: string;
}

function documents(store: Store, after: ExportKey): Exported[] {
  return documentsAfter(store, after, DOCUMENTS_A_PAGE, CHARACTERS_A_PAGE).map(({ document }) => ({
    key: nameOf(document),
    line: { document },
  }));
}

/** Returns what documents are ordered by in a copy. Ids of rows may change between two pages. */
export function nameOf({ datasource, externalId }: ExportedDocument): ExportKey {
  return [datasource, externalId];
}

/** A document with its row id and generation. */
export interface NumberedDocument {
  readonly id: number;
  readonly generation: number;
  readonly document: ExportedDocument;
}

/** Returns documents after a name, up to `documentsMax` of them and about `charactersMax` characters. */
export function documentsAfter(
  store: Store,
  [datasource = "", externalId = ""]: ExportKey,
  documentsMax: number,
  charactersMax: number,
): NumberedDocument[] {
  const next = "(datasource, external_id) > (?1, ?2) ORDER BY datasource, external_id";
  return documentsWithin(documentsMax, charactersMax, (last) =>
    documentWhere(store, next, ...(last ? nameOf(last.document) : [datasource, externalId])),
  );
}

/** Takes one document after another, up to `documentsMax` of them and about `charactersMax` characters. */
export function documentsWithin<Found extends { readonly document: ExportedDocument }>(
  documentsMax: number,
  charactersMax: number,
  next: (last: Found | undefined) => Found | undefined,
): Found[] {
  const found: Found[] = [];
  let characters = 0;
  while (found.length < documentsMax) {
    const one = next(found.at(-1));
    if (!one) break;
    // Permissions and metadata may be as large as texts.
    characters += JSON.stringify(one.document).length;
    if (found.length > 0 && characters > charactersMax) break;
    found.push(one);
  }
  return found;
}

/** Returns one document by its name. */
export function namedDocument(store: Store, datasource: string, externalId: string): NumberedDocument | undefined {
  return documentWhere(store, "datasource = ?1 AND external_id = ?2", datasource, externalId);
}

function documentWhere(store: Store, which: string, ...bound: ExportKey): NumberedDocument | undefined {
  const statement = `SELECT generation, ${EXPORTED_COLUMNS} FROM documents WHERE ${which} LIMIT 1`;
  const [found] = store.exec<DocumentRow & { generation: number }>(statement, ...bound);
  if (!found) return undefined;
  const { id, generation, accessClass, ...row } = found;
  const values = store.exec<{ groupId: number; entries: string }>(
    "SELECT group_id AS groupId, entries FROM document_metadata WHERE document_id = ?1",
    id,
  );
  const document = {
    ...row,
    tags: JSON.parse(row.tags) as string[],
    principals: principalsOf(store, accessClass),
    values: Object.fromEntries(
      values.map(({ groupId, entries }) => [groupId, JSON.parse(entries) as ExportedDocument["values"][string]]),
    ),
  };
  return { id, generation, document };
}
