import type { Rows } from "#documents-postgres/database.ts";
import { lockedInstance } from "#documents-postgres/instance.ts";
import { nextHolding } from "#documents/moving/holding.ts";
import { MOVED_TABLES, TABLE_KINDS } from "#documents/moving/rows.sql.ts";
import type { HoldingOrder, StoredTransfer, TransferState } from "#documents/moving/transfer.ts";
import { forgetChanges } from "./changes.sql.ts";

/**
 * Tables with many rows and their keys apart from the instance. They are emptied in steps, in this order; all other tables are
 * emptied in the last step.
 */
export const LARGE_TABLES = {
  documents: "id",
  entries: "id",
  forwards: "id",
  words: "hash",
  postings: "hash, level, part",
  holders: "hash, block, part",
  stems: "stem, hash",
  memberships: "member_kind, member, datasource, group_name",
  class_principals: "principal, class",
  document_metadata: "document_id, group_id",
  moved_changes: "id",
} as const;

/** Tables that are empty in an instance without documents. The index is included, as in the Durable Object. */
const TABLES = new Set([
  ...Object.keys(LARGE_TABLES),
  "metadata_groups",
  "removed_metadata_groups",
  ...TABLE_KINDS.map((kind) => MOVED_TABLES[kind].table),
]);

/** The state of an instance that no move has brought here: this engine doesn't serve it. */
const UNMOVED: StoredTransfer = { holding: "left", turn: 0, move: 0, pages: 0, next: null };

export async function transferState(rows: Rows): Promise<TransferState> {
  const anything = [...TABLES].map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE instance_id = $1)`).join(" OR ");
  const [empty] = await rows.all<{ is: boolean }>(`SELECT NOT (${anything}) AS is`);
  return { ...(await storedState(rows)), isEmpty: empty?.is ?? true };
}

/** Returns the same as {@link transferState}, without looking into each table. */
export async function storedState(rows: Rows): Promise<StoredTransfer> {
  const [row] = await rows.all<StoredTransfer>(
    "SELECT holding, turn, move, pages, next FROM instances WHERE instance_id = $1",
  );
  return row ?? UNMOVED;
}

/** Changes the state of a move as ordered. @throws if {@link nextHolding} does not allow it */
export async function hold(rows: Rows, order: HoldingOrder, now: number): Promise<TransferState> {
  await lockedInstance(rows);
  const state = await transferState(rows);
  const holding = nextHolding(state, order);
  if (holding === "left" || holding === "serving" || state.holding === "serving") await forgetChanges(rows);
  const isNew = order.move !== state.move;
  await rows.all(
    `UPDATE instances SET holding = $2, turn = $3, move = $4, pages = $5, next = $6, upkeep_at = $7 WHERE instance_id = $1`,
    holding,
    order.turn,
    order.move,
    isNew ? 0 : state.pages,
    isNew ? null : state.next,
    // The clean-up continues in the engine that has the documents now.
    now,
  );
  return transferState(rows);
}
