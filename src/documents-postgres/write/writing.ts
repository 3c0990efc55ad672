import type { Kind } from "#documents/generations.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { count as keepCount } from "#documents-postgres/counts.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { type Instance, keepInstance, lockedInstance, wordHashOf } from "#documents-postgres/instance.ts";
import { WordCounts } from "./word-counts.ts";

/** A class of permissions. */
export interface Class {
  readonly id: number;
  /** The ids of its principals. */
  readonly principals: readonly number[];
}

/** How the number of documents with permissions of a class changes, and the number of words in these documents. */
interface ClassCount {
  documents: number;
  length: number;
}

/**
 * A transaction that writes to an instance. What it counts is written once at its end, because documents of one transaction share
 * most of their words.
 */
export class Writing {
  readonly rows: Rows;
  readonly words: WordCounts;
  readonly hash: WordHash;
  /** Classes that were looked up, by their principals. */
  readonly knownClasses = new Map<string, Class>();
  /** Kinds of documents that were looked up. */
  readonly knownKinds = new Map<string, number>();
  readonly #counts = new Map<string, readonly [datasource: string, kind: Kind, change: number]>();
  readonly #before: Instance;
  readonly #classes = new Map<number, ClassCount>();
  #instance: Instance;

  private constructor(rows: Rows, instance: Instance) {
    this.rows = rows;
    this.words = new WordCounts(rows);
    this.hash = wordHashOf(instance);
    this.#before = instance;
    this.#instance = instance;
  }

  /** Runs `act` and stores what was counted. @returns what `act` returns */
  static async of<Result>(rows: Rows, act: (writing: Writing) => Promise<Result>): Promise<Result> {
    const writing = new Writing(rows, await lockedInstance(rows));
    // Makes triggers record what changes while a move copies the instance.
    if (writing.holding === "giving") await rows.all("SELECT set_config('gatehouse.giving', 'on', true), $1::bigint");
    const result = await act(writing);
    await writing.#keep();
    return result;
  }

  get holding(): Instance["holding"] {
    return this.#before.holding;
  }

  get importingAt(): number {
    return this.#before.importingAt;
  }

  /** The epoch of what is written now. */
  get epoch(): number {
    return this.#before.epoch;
  }

  /** The generation of single changes that are made now. */
  get generation(): number {
    return this.#instance.generation + 1;
  }

  /** Returns the generation of an upload that begins now. */
  nextUpload(): number {
    this.#instance = { ...this.#instance, generation: this.#instance.generation + 2 };
    return this.#instance.generation;
  }

  /** Takes over the generation of the engine that a move copies documents from. */
  takeGeneration(generation: number): void {
    this.#instance = { ...this.#instance, generation };
  }

  /** The average number of words in a document; `null` if there are no documents. */
  get averageLength(): number | null {
    const { documents, length } = this.#instance;
    return documents === 0 ? null : length / documents;
  }

  /** The highest id of a document. */
  get lastDocument(): number {
    return this.#instance.lastDocument;
  }

  nextDocument(): number {
    this.#instance = { ...this.#instance, lastDocument: this.#instance.lastDocument + 1 };
    return this.#instance.lastDocument;
  }

  nextClass(): number {
    this.#instance = { ...this.#instance, lastClass: this.#instance.lastClass + 1 };
    return this.#instance.lastClass;
  }

  nextName(): number {
    this.#instance = { ...this.#instance, lastName: this.#instance.lastName + 1 };
    return this.#instance.lastName;
  }

  /** Makes the next search of each person look up again what they hold. */
  forgetRights(): void {
    this.#instance = { ...this.#instance, rights: this.#before.rights + 1 };
  }

  /** Counts what was added to a datasource or removed from it. */
  count(datasource: string, kind: Kind, change: number): void {
    const key = JSON.stringify([datasource, kind]);
    this.#counts.set(key, [datasource, kind, (this.#counts.get(key)?.[2] ?? 0) + change]);
  }

  /** Counts documents that were added or removed, and their words. */
  countDocuments(documentClass: number, documents: number, length: number): void {
    const count = this.#classes.get(documentClass) ?? { documents: 0, length: 0 };
    this.#classes.set(documentClass, count);
    count.documents += documents;
    count.length += length;
    const { documents: all, length: words } = this.#instance;
    this.#instance = {
      ...this.#instance,
      version: this.#before.version + 1,
      documents: all + documents,
      length: words + length,
    };
  }

  async #keep(): Promise<void> {
    await this.words.keep();
    for (const counted of this.#counts.values()) await keepCount(this.rows, ...counted);
    const counts = [...this.#classes].filter(
      ([id, { documents, length }]) => id > 0 && (documents !== 0 || length !== 0),
    );
    if (counts.length > 0) {
      await this.rows.all(
        `UPDATE classes c SET documents = c.documents + n.documents, length = c.length + n.length
         FROM json_to_recordset($2::text::json) AS n (id int, documents int, length int)
         WHERE c.instance_id = $1 AND c.id = n.id`,
        JSON.stringify(counts.map(([id, count]) => ({ id, ...count }))),
      );
    }
    if (this.#instance !== this.#before) await keepInstance(this.rows, this.#instance);
  }
}
