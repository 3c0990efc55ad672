import { movedGroups } from "#documents/metadata/groups.ts";
import { equal } from "#documents/row-statements.sql.ts";
import type { Store } from "#documents/store.ts";
import { documentsAfter, namedDocument, nameOf, type NumberedDocument } from "#documents/upkeep/export.ts";
import { namedRemoved, removedAfter } from "#documents/uploads/removed-documents.ts";
import { changesAfter, countChangesAfter } from "./changes.sql.ts";
import { requireInMove } from "./holding.ts";
import { MOVED_TABLES, ROW_KINDS, rowLine } from "./rows.sql.ts";
import { transferState } from "./state.sql.ts";
import type { GivenPage, MovedDocument, MovedKey, MovedLine, MovedRow, RowKind } from "./transfer.ts";

/** Limits of a page, which is one step for the engine that gives and one for the engine that takes. */
const PAGE = { rows: 250, documents: 25, characters: 200_000 };

interface Place {
  /** Its key in the section's order, after which the next page begins. */
  readonly after: MovedKey;
  readonly line: MovedLine;
}

interface Section {
  readonly start: MovedKey;
  page(store: Store, after: MovedKey, size: typeof PAGE): readonly Place[];
}

/** What is copied, in this order: what documents name comes before them. */
const SECTIONS: readonly Section[] = [
  {
    start: [0],
    page: (store, [after], size) =>
      movedGroups(store, Number(after), size.rows).map((row) => ({
        after: [row.id],
        line: { kind: "metadataGroup", key: [row.id], row },
      })),
  },
  ...ROW_KINDS.map(
    (kind): Section => ({
      start: MOVED_TABLES[kind].key.map(() => (kind === "page" ? -1 : "")),
      page: (store, after, size) => rowsAfter(store, kind, after, size.rows).map((line) => ({ after: line.key, line })),
    }),
  ),
  {
    start: ["", ""],
    page: (store, after, size) =>
      documentsAfter(store, after, size.documents, size.characters).map((found) => ({
        after: nameOf(found.document),
        line: {
          kind: "document",
          key: nameOf(found.document),
          row: movedDocument(store, found),
        },
      })),
  },
  {
    start: [0],
    page: (store, after, size) =>
      removedAfter(store, after, size.documents, size.characters).map(({ id, ...row }) => ({
        after: [id],
        line: { kind: "removed", key: nameOf(row.document), row },
      })),
  },
];

/**
 * Returns the next page of a move, inside the caller's transaction. A page's place is a section and a key, or, after all sections, a
 * change.
 */
export function givePage(store: Store, move: number, after: string | null, size = PAGE): GivenPage {
  requireInMove(transferState(store), move, "giving", "sealed");
  const [at, key] = after === null ? [0, undefined] : (JSON.parse(after) as [number, MovedKey?]);
  if (at === SECTIONS.length) return giveChanges(store, Number(key?.[0] ?? 0), size);
  for (const [offset, section] of SECTIONS.slice(at).entries()) {
    const found = section.page(store, (offset === 0 ? key : undefined) ?? section.start, size);
    const last = found.at(-1);
    if (last) {
      return { lines: found.map(({ line }) => line), next: JSON.stringify([at + offset, last.after]), left: null };
    }
  }
  return { lines: [], next: JSON.stringify([SECTIONS.length, [0]]), left: null };
}

function giveChanges(store: Store, after: number, size: typeof PAGE): GivenPage {
  const lines: MovedLine[] = [];
  let last = after;
  let characters = 0;
  for (const { id, kind, key } of changesAfter(store, after, size.rows)) {
    const line = lineOf(store, kind, key);
    characters += kind === "document" || kind === "removed" ? JSON.stringify(line).length : 0;
    if (lines.length > 0 && characters > size.characters) break;
    lines.push(line);
    last = id;
  }
  return { lines, next: JSON.stringify([SECTIONS.length, [last]]), left: countChangesAfter(store, last) };
}

/** Returns a row as it is now, by its key. */
function lineOf(store: Store, kind: MovedLine["kind"], key: MovedKey): MovedLine {
  if (kind === "document") {
    const found = namedDocument(store, String(key[0]), String(key[1]));
    return { kind, key, row: found ? movedDocument(store, found) : null };
  }
  if (kind === "removed") {
    const { id: _id, ...row } = namedRemoved(store, String(key[0]), String(key[1])) ?? {};
    return { kind, key, row: "document" in row ? row : null };
  }
  if (kind === "metadataGroup") {
    const id = Number(key[0]);
    return { kind, key, row: movedGroups(store, id - 1, 1).find((group) => group.id === id) ?? null };
  }
  const { table, key: names, columns } = MOVED_TABLES[kind];
  const [row] = store.exec<MovedRow>(
    `SELECT ${[...names, ...columns].join(", ")} FROM ${table} WHERE ${equal(names)}`,
    ...key,
  );
  return row ? rowLine(kind, row) : { kind, key, row: null };
}

function movedDocument(store: Store, { id, generation, document }: NumberedDocument): MovedDocument {
  const statement = "SELECT group_id AS groupId, version FROM document_metadata WHERE document_id = ?1";
  const rows = store.exec<{ groupId: number; version: number }>(statement, id);
  return { ...document, generation, versions: Object.fromEntries(rows.map((row) => [row.groupId, row.version])) };
}

function rowsAfter(store: Store, kind: RowKind, after: MovedKey, max: number): MovedLine[] {
  const { table, key, columns, only = "true" } = MOVED_TABLES[kind];
  const names = key.join(", ");
  const rows = store.exec<MovedRow>(
    `SELECT ${[...key, ...columns].join(", ")} FROM ${table}
     WHERE (${names}) > (${key.map((_, at) => `?${at + 1}`).join(", ")}) AND (${only})
     ORDER BY ${names} LIMIT ${max}`,
    ...after,
  );
  return rows.map((row) => rowLine(kind, row));
}
