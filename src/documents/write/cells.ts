import { BLOCK_BYTES, BLOCK_CELLS, blockOf, CELL } from "#documents/index-rules.ts";
import { moveState } from "#documents/state.ts";
import { bytesOf, type Store } from "#documents/store.ts";

export interface Cell {
  readonly class: number;
  readonly kind: number;
  readonly length: number;
  readonly day: number;
}

/** The cell of a document that was removed: nobody sees it. */
export const EMPTY_CELL: Cell = { class: 0, kind: 0, length: 0, day: 0 };

/** Writes the given parts of a document's cell. The others stay. */
export function writeCell(store: Store, row: number, cell: Partial<Cell>): void {
  const block = blockOf(row);
  const [held] = store.exec<{ cells: ArrayBuffer | Uint8Array }>("SELECT cells FROM cells WHERE block = ?1", block);
  const bytes = held ? bytesOf(held.cells) : new Uint8Array(BLOCK_BYTES);
  const cells = new Uint32Array(bytes.buffer, 0, BLOCK_CELLS * CELL.size);
  const at = (row % BLOCK_CELLS) * CELL.size;
  for (const [name, value] of Object.entries(cell)) cells[at + CELL[name as keyof Cell]] = value;
  store.exec(
    `INSERT INTO cells (block, version, cells) VALUES (?1, ?2, ?3)
     ON CONFLICT (block) DO UPDATE SET version = excluded.version, cells = excluded.cells`,
    block,
    moveState(store, "cells", 1),
    bytes,
  );
}

export function cellOf(store: Store, row: number): Cell {
  const [held] = store.exec<{ cells: ArrayBuffer | Uint8Array }>(
    "SELECT cells FROM cells WHERE block = ?1",
    blockOf(row),
  );
  if (!held) return EMPTY_CELL;
  const at = (row % BLOCK_CELLS) * CELL.size;
  const numbers = new Uint32Array(bytesOf(held.cells).buffer, at * 4, CELL.size);
  const of = (name: keyof Cell) => numbers[CELL[name]] ?? 0;
  return { class: of("class"), kind: of("kind"), length: of("length"), day: of("day") };
}

/** Returns the length with which a document was indexed. */
export function lengthOf(store: Store, row: number): number {
  return cellOf(store, row).length;
}
