import type { Store } from "#documents/store.ts";
import { forgetChanges, noteChanges } from "./changes.sql.ts";
import { nextHolding } from "./holding.ts";
import { MOVED_TABLES, TABLE_KINDS } from "./rows.sql.ts";
import type { Holding, HoldingOrder, StoredTransfer, TransferState } from "./transfer.ts";

/** Tables with large rows, which are emptied in steps, in this order. The last step empties all others. */
export const LARGE_TABLES = ["documents", "removed_documents", "term_vectors", "impact_bitmaps"] as const;

/** The state of an object that has never been part of a move: it serves. */
export const UNMOVED: StoredTransfer = { holding: "serving", turn: 0, move: 0, pages: 0, next: null };

export function transferState(store: Store): TransferState {
  return { ...stored(store), isEmpty: isEmpty(store) };
}

export function holdingOf(store: Store): Holding {
  return stored(store).holding;
}

function stored(store: Store): StoredTransfer {
  return store.exec<StoredTransfer>("SELECT holding, turn, move, pages, next FROM transfer")[0] ?? UNMOVED;
}

/** Checks whether nothing is stored, not even in the index: it would find new documents by the words of old ones. */
function isEmpty(store: Store): boolean {
  const tables = [...LARGE_TABLES, "metadata_groups", ...TABLE_KINDS.map((kind) => MOVED_TABLES[kind].table)];
  return tables.every((table) => store.exec(`SELECT 1 FROM ${table} LIMIT 1`).length === 0);
}

/** Follows an order, inside the caller's transaction. @throws if {@link nextHolding} doesn't allow it */
export function hold(store: Store, order: HoldingOrder): TransferState {
  const state = transferState(store);
  const holding = nextHolding(state, order);
  if (holding === "giving" && state.holding === "serving") noteChanges(store);
  if (holding === "serving" || holding === "left") forgetChanges(store);
  const isNew = order.move !== state.move;
  keep(store, {
    holding,
    turn: order.turn,
    move: order.move,
    pages: isNew ? 0 : state.pages,
    next: isNew ? null : state.next,
  });
  return transferState(store);
}

export function keep(store: Store, { holding, turn, move, pages, next }: StoredTransfer): void {
  store.exec(
    `INSERT INTO transfer (one, holding, turn, move, pages, next) VALUES (1, ?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (one) DO UPDATE SET holding = ?1, turn = ?2, move = ?3, pages = ?4, next = ?5`,
    holding,
    turn,
    move,
    pages,
    next,
  );
}
