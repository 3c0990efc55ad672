import { BITMAP_BLOCK, blockOf } from "#documents/index-rules.ts";
import { moveState, setState, stateOf, type Store } from "#documents/store.ts";
import { STEP_WORK, WORK } from "#documents/work.ts";
import { moveDocument } from "#documents/write/documents.ts";
import { writeInStep, type WriteStep } from "#documents/write/write-step.ts";

/** How many ids may be unused before rows are moved, in addition to as many as there are documents. */
const SPARE_ROWS = 1024;

/** Blocks of doc values and impact bitmaps that one step removes. */
const BLOCKS_A_STEP = 100;

/**
 * Gives documents the lowest ids, in the order that they have, once most ids are unused, and removes what was stored for higher ones.
 * Otherwise, an instance would need memory for every document that it ever had.
 *
 * @returns whether nothing is left to do
 */
export function compactRows(store: Store, spare = SPARE_ROWS): boolean {
  const next = stateOf(store, "compacting");
  if (next > 0) {
    compactSome(store, next);
    return false;
  }
  const documents = stateOf(store, "documents");
  if (stateOf(store, "rows") <= (documents === 0 ? 0 : documents * 2 + spare)) return true;
  compactSome(store, 1);
  return false;
}

/** @param next the lowest id that no document has been given yet */
function compactSome(store: Store, next: number): void {
  const { free, isLast } = writeInStep(store, (step) => moveSome(store, next, step));
  // After the step has written the doc values of the documents that it moved.
  if (isLast) trim(store, free);
  else setState(store, "compacting", free);
}

function moveSome(store: Store, next: number, step: WriteStep): { readonly free: number; readonly isLast: boolean } {
  let free = next;
  let work = 0;
  while (work < STEP_WORK / 2) {
    const [row] = store.exec<{ id: number; bytes: number }>(
      "SELECT id, octet_length(body) AS bytes FROM documents WHERE id >= ?1 ORDER BY id LIMIT 1",
      free,
    );
    if (!row) return { free, isLast: true };
    work += WORK.lookedUp;
    if (row.id > free) work += WORK.document + row.bytes * WORK.storedByte + moveDocument(store, row.id, free, step);
    free++;
  }
  return { free, isLast: false };
}

/** Removes the doc values and impact bitmaps of ids from `free` on, which no document has any more. */
function trim(store: Store, free: number): void {
  const isEmpty = free === 1;
  const removed = [
    ["doc_values", isEmpty ? -1 : blockOf(free)] as const,
    ["impact_bitmaps", isEmpty ? -1 : Math.floor(free / BITMAP_BLOCK.block)] as const,
  ].map(([table, last]) => {
    const statement = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE block > ?1 LIMIT ${BLOCKS_A_STEP}) RETURNING 1`;
    return store.exec(statement, last).length;
  });
  setState(store, "compacting", free);
  if (removed.some((blocks) => blocks > 0)) return;
  if (isEmpty) store.exec("DELETE FROM common_words");
  setState(store, "compacting", 0);
  setState(store, "rows", free - 1);
  moveState(store, "trimmed", 1);
}
