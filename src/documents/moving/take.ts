import { rowOf } from "#documents/apply.ts";
import { count } from "#documents/counts.ts";
import { putMetadataGroup, removeMetadataGroup } from "#documents/metadata/groups.ts";
import { equal, upsert } from "#documents/row-statements.sql.ts";
import type { Store } from "#documents/store.ts";
import { importDocument } from "#documents/upkeep/import.ts";
import { forgetRemoved, putRemoved } from "#documents/uploads/removed-documents.ts";
import { forgetRights, removeDocument } from "#documents/write/documents.ts";
import { writeInStep, type WriteStep } from "#documents/write/write-step.ts";
import { requireInMove } from "./holding.ts";
import { MOVED_TABLES } from "./rows.sql.ts";
import { keep, transferState } from "./state.sql.ts";
import type {
  MovedDocument,
  MovedKey,
  MovedLine,
  MovedRemoved,
  MovedRow,
  RowKind,
  TakenPage,
  TransferState,
} from "./transfer.ts";

/**
 * Writes a page of a move, inside the caller's transaction, and remembers where the next one begins. So each page counts once, whoever
 * brings it, and a page that was read before another was written isn't taken after it.
 */
export function takeLines(store: Store, { move, page, lines, next }: TakenPage): TransferState {
  const state = transferState(store);
  requireInMove(state, move, "taking");
  if (page !== state.pages) return state;

  forgetRights(store);
  writeInStep(store, (step) => {
    for (const line of lines) takeLine(store, line, step);
  });
  keep(store, { ...state, pages: page + 1, next });
  return transferState(store);
}

function takeLine(store: Store, line: MovedLine, step: WriteStep): void {
  if (line.kind === "document") takeDocument(store, line.key, line.row, step);
  else if (line.kind === "removed") takeRemoved(store, line.key, line.row, step);
  else if (line.kind !== "metadataGroup") takeRow(store, line.kind, line.key, line.row);
  else if (line.row) putMetadataGroup(store, line.row);
  else removeMetadataGroup(store, Number(line.key[0]));
}

function takeDocument(
  store: Store,
  [datasource, externalId]: MovedKey,
  document: MovedDocument | null,
  step: WriteStep,
): void {
  if (document) {
    const { generation, versions, ...exported } = document;
    const id = importDocument(store, exported, generation, step);
    for (const [groupId, version] of Object.entries(versions)) {
      const statement = "UPDATE document_metadata SET version = ?3 WHERE document_id = ?1 AND group_id = ?2";
      store.exec(statement, id, Number(groupId), version);
    }
    return;
  }
  const known = rowOf(store, String(datasource), String(externalId));
  if (known) removeDocument(store, known.id, step);
}

function takeRemoved(
  store: Store,
  [datasource, externalId]: MovedKey,
  row: MovedRemoved | null,
  step: WriteStep,
): void {
  if (row) putRemoved(store, row, step);
  else forgetRemoved(store, String(datasource), String(externalId), step);
}

function takeRow(store: Store, kind: RowKind, key: MovedKey, row: MovedRow | null): void {
  const { table, key: names, columns, counted } = MOVED_TABLES[kind];
  const isThere = store.exec(`SELECT 1 FROM ${table} WHERE ${equal(names)}`, ...key).length > 0;
  if (counted !== undefined) {
    const datasource = String(key[names.indexOf("datasource")]);
    count(store, datasource, counted, (row ? 1 : 0) - (isThere ? 1 : 0));
  }
  if (!row) {
    store.exec(`DELETE FROM ${table} WHERE ${equal(names)}`, ...key);
    return;
  }
  store.exec(upsert(table, names, columns), ...key, ...columns.map((name) => row[name] ?? null));
}
