import { BLOCK_BYTES, BLOCK_CELLS, blockOf, CELL } from "#documents/index-rules.ts";
import { bytesOf, type Store } from "#documents/store.ts";

export interface Cell {
  readonly class: number;
  readonly kind: number;
  readonly length: number;
  readonly day: number;
}

/** The cell of a document that was removed: nobody sees it. */
export const EMPTY_CELL: Cell = { class: 0, kind: 0, length: 0, day: 0 };

/** Blocks of cells that a step has changed, by number. */
export interface ChangedBlocks {
  readonly cells: Map<number, Uint8Array<ArrayBuffer>>;
}

/** Changes the given parts of a document's cell. The others stay. The step writes the block when it ends. */
export function writeCell(store: Store, row: number, cell: Partial<Cell>, step: ChangedBlocks): void {
  const block = blockOf(row);
  const bytes = blockIn(store, block, step) ?? new Uint8Array(BLOCK_BYTES);
  step.cells.set(block, bytes);
  const cells = new Uint32Array(bytes.buffer, 0, BLOCK_CELLS * CELL.size);
  const at = (row % BLOCK_CELLS) * CELL.size;
  for (const [name, value] of Object.entries(cell)) cells[at + CELL[name as keyof Cell]] = value;
}

/** Writes blocks of cells. */
export function writeBlocks(store: Store, blocks: ReadonlyMap<number, Uint8Array>, version: number): void {
  for (const [block, bytes] of blocks) {
    store.exec(
      `INSERT INTO cells (block, version, cells) VALUES (?1, ?2, ?3)
       ON CONFLICT (block) DO UPDATE SET version = excluded.version, cells = excluded.cells`,
      block,
      version,
      bytes,
    );
  }
}

/** Returns a document's cell, with the length with which it was indexed. */
export function cellOf(store: Store, row: number, step: ChangedBlocks): Cell {
  const block = blockIn(store, blockOf(row), step);
  if (!block) return EMPTY_CELL;
  const at = (row % BLOCK_CELLS) * CELL.size;
  const numbers = new Uint32Array(block.buffer, at * 4, CELL.size);
  const of = (name: keyof Cell) => numbers[CELL[name]] ?? 0;
  return { class: of("class"), kind: of("kind"), length: of("length"), day: of("day") };
}

/** Returns a block as the step has changed it, or as it is stored. */
function blockIn(store: Store, block: number, { cells }: ChangedBlocks): Uint8Array<ArrayBuffer> | undefined {
  const changed = cells.get(block);
  if (changed) return changed;
  const [held] = store.exec<{ cells: ArrayBuffer | Uint8Array }>("SELECT cells FROM cells WHERE block = ?1", block);
  return held && bytesOf(held.cells);
}
