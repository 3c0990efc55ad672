import { BLOCK_BYTES, BLOCK_DOCUMENTS, blockOf, DOC_VALUE } from "#documents/index-rules.ts";
import { bytesOf, type Store } from "#documents/store.ts";

export interface DocumentValues {
  readonly accessClass: number;
  readonly kind: number;
  readonly length: number;
  readonly day: number;
}

/** The doc values of a document that was removed: nobody sees it. */
export const NO_VALUES: DocumentValues = { accessClass: 0, kind: 0, length: 0, day: 0 };

/** Blocks of doc values that a step has changed, by number. */
export interface ChangedBlocks {
  readonly docValues: Map<number, Uint8Array<ArrayBuffer>>;
}

/** Changes the given doc values of a document. The others stay. The step writes the block when it ends. */
export function writeDocValues(store: Store, row: number, values: Partial<DocumentValues>, step: ChangedBlocks): void {
  const block = blockOf(row);
  const bytes = blockIn(store, block, step) ?? new Uint8Array(BLOCK_BYTES);
  step.docValues.set(block, bytes);
  const docValues = new Uint32Array(bytes.buffer, 0, BLOCK_DOCUMENTS * DOC_VALUE.size);
  const at = (row % BLOCK_DOCUMENTS) * DOC_VALUE.size;
  for (const [name, value] of Object.entries(values)) docValues[at + DOC_VALUE[name as keyof DocumentValues]] = value;
}

/** Writes blocks of doc values. */
export function writeBlocks(store: Store, blocks: ReadonlyMap<number, Uint8Array>, version: number): void {
  for (const [block, bytes] of blocks) {
    store.exec(
      `INSERT INTO doc_values (block, version, numbers) VALUES (?1, ?2, ?3)
       ON CONFLICT (block) DO UPDATE SET version = excluded.version, numbers = excluded.numbers`,
      block,
      version,
      bytes,
    );
  }
}

/** Returns a document's doc values, with the length with which it was indexed. */
export function docValuesOf(store: Store, row: number, step: ChangedBlocks): DocumentValues {
  const block = blockIn(store, blockOf(row), step);
  if (!block) return NO_VALUES;
  const at = (row % BLOCK_DOCUMENTS) * DOC_VALUE.size;
  const numbers = new Uint32Array(block.buffer, at * 4, DOC_VALUE.size);
  const of = (name: keyof DocumentValues) => numbers[DOC_VALUE[name]] ?? 0;
  return { accessClass: of("accessClass"), kind: of("kind"), length: of("length"), day: of("day") };
}

/** Returns a block as the step has changed it, or as it is stored. */
function blockIn(store: Store, block: number, { docValues }: ChangedBlocks): Uint8Array<ArrayBuffer> | undefined {
  const changed = docValues.get(block);
  if (changed) return changed;
  const [held] = store.exec<{ numbers: ArrayBuffer | Uint8Array }>(
    "SELECT numbers FROM doc_values WHERE block = ?1",
    block,
  );
  return held && bytesOf(held.numbers);
}
