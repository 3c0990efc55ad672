import { namedDocument, removeCounted } from "#documents-postgres/apply.ts";
import { count } from "#documents-postgres/counts.ts";
import { putMetadataGroup, removeMetadataGroup } from "#documents-postgres/metadata/groups.ts";
import { importDocument } from "#documents-postgres/upkeep/import.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";
import { requireInMove } from "#documents/moving/holding.ts";
import { MOVED_TABLES, type TableKind } from "#documents/moving/rows.sql.ts";
import type {
  MovedDocument,
  MovedKey,
  MovedLine,
  MovedRow,
  TakenPage,
  TransferState,
} from "#documents/moving/transfer.ts";
import { takeMark } from "./marks.ts";
import { stored } from "./rows.ts";
import { storedState, transferState } from "./state.ts";

/** Writes a page of a move and stores where the next one begins. A page that is not the next one changes nothing. */
export async function takeLines(writing: Writing, { move, page, lines, next }: TakenPage): Promise<TransferState> {
  const { rows } = writing;
  const state = await storedState(rows);
  requireInMove(state, move, "taking");
  if (page !== state.pages) return transferState(rows);
  writing.forgetRights();
  for (const line of lines) await takeLine(writing, line);
  await rows.all("UPDATE instances SET pages = $2, next = $3 WHERE instance_id = $1", page + 1, next);
  return transferState(rows);
}

async function takeLine(writing: Writing, line: MovedLine): Promise<void> {
  const { rows } = writing;
  if (line.kind === "document") await takeDocument(writing, line.key, line.row);
  else if (line.kind === "mark") await takeMark(writing, String(line.key[0]), line.row);
  else if (line.kind !== "metadataGroup") await takeRow(writing, line.kind, line.key, line.row);
  else if (line.row) await putMetadataGroup(rows, line.row);
  else await removeMetadataGroup(rows, Number(line.key[0]));
}

async function takeDocument(
  writing: Writing,
  [datasource, externalId]: MovedKey,
  document: MovedDocument | null,
): Promise<void> {
  const { rows } = writing;
  if (document) {
    const { generation, versions, ...exported } = document;
    const id = await importDocument(writing, exported, generation);
    await rows.all(
      `UPDATE document_metadata m SET version = v.value::int FROM json_each_text($3::text::json) v
       WHERE m.instance_id = $1 AND m.document_id = $2 AND m.group_id = v.key::int`,
      id,
      JSON.stringify(versions),
    );
    return;
  }
  const known = await namedDocument(rows, String(datasource), String(externalId));
  if (known) await removeCounted(writing, String(datasource), known.id);
}

async function takeRow({ rows }: Writing, kind: TableKind, key: MovedKey, row: MovedRow | null): Promise<void> {
  const { table, key: names, counted } = MOVED_TABLES[kind];
  const removed = await rows.all(
    `DELETE FROM ${table} WHERE instance_id = $1 AND ${names.map((name, at) => `${name} = $${at + 2}`).join(" AND ")}
     RETURNING 1`,
    ...key,
  );
  if (row) {
    const values = stored(kind, row);
    const columns = [...names, ...values.map(([column]) => column)];
    await rows.all(
      `INSERT INTO ${table} (instance_id, ${columns.join(", ")}) VALUES ($1, ${columns.map((_, at) => `$${at + 2}`).join(", ")})`,
      ...key,
      ...values.map(([, value]) => value),
    );
  }
  if (counted === undefined) return;
  await count(rows, String(key[names.indexOf("datasource")]), counted, (row ? 1 : 0) - removed.length);
}
