import type { Holding } from "#documents/moving/transfer.ts";
import { type WordHash, wordHash } from "#documents/word-hash.ts";
import type { Rows } from "./database.ts";

/** An instance's own row. */
export interface Instance {
  /** Whether this engine serves the instance, and how far a move of it is. */
  readonly holding: Holding;
  /** The highest id given to a document. Ids are never reused, so a higher one is newer. */
  readonly lastDocument: number;
  /** The highest id given to a class of permissions. */
  readonly lastClass: number;
  /** The highest id given to a principal or kind. */
  readonly lastName: number;
  /** The generation of the latest upload, an even number. Single changes get the odd number above it. */
  readonly generation: number;
  /** A version that increases when anybody's rights may have changed. */
  readonly rights: number;
  /** A version that increases when a document or its permissions are written. */
  readonly version: number;
  readonly documents: number;
  /** The number of words in all documents together. */
  readonly length: number;
  /** The key that the instance's words are hashed with, a UUID. */
  readonly wordKey: string;
  /** When the restore that is under way received its latest page, in epoch seconds; 0 if there is none. */
  readonly importingAt: number;
  /**
   * Identifies what ids and versions belong to: when the server started, its table, and the instance's row. If the server's files
   * or tables are restored or the row is deleted, the same ids and versions are given again for something else, and this value
   * changes.
   */
  readonly counting: string;
  /** The epoch of documents that are written now. */
  readonly epoch: number;
  /** Whether every document has the token of the epoch in which it was written. */
  readonly areEpochsTold: boolean;
  /** Whether nothing has been written in this epoch yet. */
  readonly isEpochEmpty: boolean;
}

const COLUMNS = `holding, last_document AS "lastDocument", last_class AS "lastClass", last_name AS "lastName", generation, rights, version,
  documents, length, word_key AS "wordKey", importing_at AS "importingAt",
  concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), tableoid, word_key) AS counting,
  epoch, told_version = version AS "areEpochsTold", epoch_version = version AS "isEpochEmpty"`;

const NOTHING: Instance = {
  holding: "left",
  lastDocument: 0,
  lastClass: 0,
  lastName: 0,
  generation: 0,
  rights: 0,
  version: 0,
  documents: 0,
  length: 0,
  wordKey: "",
  importingAt: 0,
  counting: "",
  epoch: 1,
  areEpochsTold: false,
  isEpochEmpty: false,
};

export async function instanceOf(rows: Rows): Promise<Instance> {
  const [row] = await rows.byKey<Instance>(`SELECT ${COLUMNS} FROM instances WHERE instance_id = $1`);
  return row ?? NOTHING;
}

/**
 * Reads an instance's row, or creates it, and locks it: until this transaction ends, all others that write to the instance wait.
 * Each change therefore sees the result of the one before it, as in a store with one thread, and no two can deadlock.
 */
export async function lockedInstance(rows: Rows): Promise<Instance> {
  const statement = `SELECT ${COLUMNS} FROM instances WHERE instance_id = $1 FOR UPDATE`;
  const [row] = await rows.byKey<Instance>(statement);
  if (row) return row;
  await rows.all("INSERT INTO instances (instance_id) VALUES ($1) ON CONFLICT DO NOTHING");
  const [made] = await rows.all<Instance>(statement);
  return made ?? NOTHING;
}

/** Stores what a write changed in an instance's row. */
export async function keepInstance(rows: Rows, instance: Instance): Promise<void> {
  await rows.all(
    `UPDATE instances SET last_document = $2, last_class = $3, last_name = $4, generation = $5, rights = $6,
       version = $7, told_version = CASE WHEN told_version = version THEN $7 ELSE told_version END, documents = $8, length = $9 WHERE instance_id = $1`,
    instance.lastDocument,
    instance.lastClass,
    instance.lastName,
    instance.generation,
    instance.rights,
    instance.version,
    instance.documents,
    instance.length,
  );
}

export function wordHashOf({ wordKey }: Instance): WordHash {
  return wordHash([wordKey.slice(0, 8), wordKey.slice(-8)].map((half) => Number.parseInt(half, 16)));
}
