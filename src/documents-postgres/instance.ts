import type { Holding } from "#documents/moving/transfer.ts";
import { type WordHash, wordHash } from "#documents/word-hash.ts";
import type { Rows } from "./database.ts";

/** What is kept of an instance as a whole. */
export interface Instance {
  /** Whether this engine answers for it. */
  readonly holding: Holding;
  /** The highest id given to a document. Ids are never reused, so a higher one is newer. */
  readonly lastDocument: number;
  /** The same of classes of permissions, and of principals and kinds. */
  readonly lastClass: number;
  readonly lastName: number;
  /** Of the latest upload: even, and what is changed singly takes the odd number above it. */
  readonly generation: number;
  /** Moves when anybody's rights may have changed. */
  readonly rights: number;
  /** Moves when a document or its permissions are written. */
  readonly version: number;
  readonly documents: number;
  /** Words of all documents. */
  readonly length: number;
  /** A UUID: what its words are hashed with. */
  readonly wordKey: string;
  /** When the last page of a restore came that is under way; else 0. */
  readonly importingAt: number;
  /**
   * What ids and versions count in: when the server started, its table, and the instance's row. They come again, for something else, where
   * the server's files or tables were restored, or the row was deleted; this changes then.
   */
  readonly counting: string;
  /** In which documents are written now. */
  readonly epoch: number;
  /** Whether every document tells the epoch that it was written in. */
  readonly areEpochsTold: boolean;
  /** Whether nothing was written in this epoch. */
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
 * The same for the one transaction that may write to the instance now: others wait for its end. So each change sees what the one
 * before it left, as in a store with one thread, and no two can wait for each other.
 */
export async function lockedInstance(rows: Rows): Promise<Instance> {
  const statement = `SELECT ${COLUMNS} FROM instances WHERE instance_id = $1 FOR UPDATE`;
  const [row] = await rows.byKey<Instance>(statement);
  if (row) return row;
  await rows.all("INSERT INTO instances (instance_id) VALUES ($1) ON CONFLICT DO NOTHING");
  const [made] = await rows.all<Instance>(statement);
  return made ?? NOTHING;
}

/** Keeps what a write made of an instance. */
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
