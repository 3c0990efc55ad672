import type { Rows } from "#documents-postgres/database.ts";
import { movedGroups } from "#documents-postgres/metadata/groups.ts";
import { documentsAfter, exportedDocument } from "#documents-postgres/upkeep/export.ts";
import { requireInMove } from "#documents/moving/holding.ts";
import { MOVED_TABLES, rowLine, TABLE_KINDS, type TableKind } from "#documents/moving/rows.sql.ts";
import type { GivenPage, MovedKey, MovedLine, MovedRow } from "#documents/moving/transfer.ts";
import { changesAfter, countChangesAfter } from "./changes.sql.ts";
import { marks } from "./marks.ts";
import { selected } from "./rows.ts";
import { storedState } from "./state.ts";

/** The limits of a page, which is one transaction here and one in the engine that takes it. */
const PAGE = { rows: 500, documents: 100, characters: 400_000 };

interface Place {
  /** The line's key in the section's order. */
  readonly after: MovedKey;
  readonly line: MovedLine;
}

interface Section {
  readonly start: MovedKey;
  page(rows: Rows, after: MovedKey, size: typeof PAGE): Promise<readonly Place[]>;
}

/** What is copied, in this order: what documents refer to comes before them. */
const SECTIONS: readonly Section[] = [
  {
    start: [0],
    page: async (rows, [after], size) =>
      (await movedGroups(rows, Number(after), size.rows)).map((row) => ({
        after: [row.id],
        line: { kind: "metadataGroup", key: [row.id], row },
      })),
  },
  // There are few marks, so they are all in one page.
  {
    start: [0],
    page: async (rows, [after]) => (after === 0 ? (await marks(rows)).map((line) => ({ after: [1], line })) : []),
  },
  ...TABLE_KINDS.map(
    (kind): Section => ({
      start: MOVED_TABLES[kind].key.map(() => (kind === "page" ? -1 : "")),
      page: async (rows, after, size) =>
        (await rowsAfter(rows, kind, after, size.rows)).map((line) => ({ after: line.key, line })),
    }),
  ),
  {
    start: [0],
    page: async (rows, [after], size) =>
      (await documentsAfter(rows, Number(after), size.documents, size.characters)).map(({ id, document }) => ({
        after: [id],
        line: { kind: "document", key: [document.datasource, document.externalId], row: document },
      })),
  },
];

/** Returns the next page of a move. `after` is a section and a key in it or, after all sections, a change. */
export async function givePage(rows: Rows, move: number, after: string | null, size = PAGE): Promise<GivenPage> {
  requireInMove(await storedState(rows), move, "giving", "sealed");
  const [at, key] = after === null ? [0, undefined] : (JSON.parse(after) as [number, MovedKey?]);
  if (at === SECTIONS.length) return giveChanges(rows, Number(key?.[0] ?? 0), size);
  for (const [offset, section] of SECTIONS.slice(at).entries()) {
    const found = await section.page(rows, (offset === 0 ? key : undefined) ?? section.start, size);
    const last = found.at(-1);
    if (last) {
      return { lines: found.map(({ line }) => line), next: JSON.stringify([at + offset, last.after]), left: null };
    }
  }
  return { lines: [], next: JSON.stringify([SECTIONS.length, [0]]), left: null };
}

async function giveChanges(rows: Rows, after: number, size: typeof PAGE): Promise<GivenPage> {
  const lines = new Map<string, readonly MovedLine[]>();
  let last = after;
  let characters = 0;
  for (const { id, kind, key } of await changesAfter(rows, after, size.rows)) {
    const name = JSON.stringify([kind, key]);
    const found = lines.get(name) ?? (await linesOf(rows, kind, key));
    characters += kind === "document" && !lines.has(name) ? JSON.stringify(found).length : 0;
    if (lines.size > 0 && characters > size.characters) break;
    lines.set(name, found);
    last = id;
  }
  const next = JSON.stringify([SECTIONS.length, [last]]);
  return { lines: [...lines.values()].flat(), next, left: await countChangesAfter(rows, last) };
}

/** Returns the lines of a changed row as it is now, by its key. */
async function linesOf(rows: Rows, kind: MovedLine["kind"], key: MovedKey): Promise<readonly MovedLine[]> {
  if (kind === "mark") return marks(rows);
  if (kind === "document") return [{ kind, key, row: await exportedDocument(rows, String(key[0]), String(key[1])) }];
  if (kind === "metadataGroup") {
    const id = Number(key[0]);
    const [group] = await movedGroups(rows, id - 1, 1);
    return [{ kind, key, row: group?.id === id ? group : null }];
  }
  const { table, key: names } = MOVED_TABLES[kind];
  const condition = names.map((name, at) => `${name} = $${at + 2}`).join(" AND ");
  const [row] = await rows.all<MovedRow>(
    `SELECT ${selected(kind)} FROM ${table} WHERE instance_id = $1 AND ${condition}`,
    ...key,
  );
  return [row ? rowLine(kind, row) : { kind, key, row: null }];
}

async function rowsAfter(rows: Rows, kind: TableKind, after: MovedKey, max: number): Promise<MovedLine[]> {
  const { table, key } = MOVED_TABLES[kind];
  const names = key.join(", ");
  const found = await rows.all<MovedRow>(
    `SELECT ${selected(kind)} FROM ${table}
     WHERE instance_id = $1 AND (${names}) > (${key.map((_, at) => `$${at + 2}`).join(", ")})
     ORDER BY ${names} LIMIT ${max}`,
    ...after,
  );
  return found.map((row) => rowLine(kind, row));
}
