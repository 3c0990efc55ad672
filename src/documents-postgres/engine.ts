import type { EngineCalls } from "#documents/documents.ts";
import type { DocumentChange, DocumentName, DocumentSearch, Seer, WantedParts } from "#documents/engine.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import type { ListPlace } from "#documents/inspection/inspection.ts";
import type { DocumentReference, KeyValues, MetadataGroup } from "#documents/metadata/metadata.ts";
import { requireReadable, requireWritable } from "#documents/moving/holding.ts";
import type { EngineTransfer, HoldingOrder, TakenPage } from "#documents/moving/transfer.ts";
import type { RightsChange } from "#documents/rights/rights.ts";
import type { ImportPage } from "#documents/upkeep/keeping.ts";
import { MinuteCount } from "#documents/upkeep/minute-count.ts";
import { progressIn } from "#documents/uploads/take-page.ts";
import type { PagePart, UploadTarget } from "#documents/uploads/uploads.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { applyChanges } from "./apply.ts";
import { countOf } from "./counts.ts";
import type { Database, Rows } from "./database.ts";
import { explainAccess, standingOf } from "./find/explain.ts";
import { Find } from "./find/find.ts";
import { Forwards } from "./find/known-forwards.ts";
import { Seen } from "./find/seen-words.ts";
import { documentsNamed, readDocuments } from "./find/read.ts";
import { inspectDocument, listDocuments } from "./inspection/inspect.ts";
import { type Instance, instanceOf } from "./instance.ts";
import { adoptGroup, countByGroup, countByKey, forgetGroup } from "./metadata/groups.ts";
import { putValues } from "./metadata/values.ts";
import { erase } from "./moving/erase.ts";
import { givePage } from "./moving/give.ts";
import { hold, transferState } from "./moving/state.ts";
import { takeLines } from "./moving/take.ts";
import { tally } from "./moving/tally.ts";
import { changeRights } from "./rights/change-rights.ts";
import { Rights } from "./rights/held.ts";
import { exportPage } from "./upkeep/export.ts";
import { importPage, requireNoRestore } from "./upkeep/import.ts";
import { type Posting, POSTING } from "./upkeep/postings.ts";
import { indexedAt, statsOf } from "./upkeep/stats.ts";
import { isUpkeepUrgent, UPKEEP_AFTER_SECONDS, upkeepStep } from "./upkeep/upkeep.ts";
import { noteError, statusesOf, uploadOf } from "./uploads/stored.ts";
import { removeNext } from "./uploads/removal.ts";
import { takePage } from "./uploads/take-page.ts";
import { Writing } from "./write/writing.ts";

/**
 * The Durable Object's limits, except that fewer documents are scored, as a whole and by their passages and titles: reading one
 * costs four times as much here.
 */
export const POSTGRES_LIMITS: FindLimits = {
  ...FIND_LIMITS,
  weighed: 240,
  weighedTogether: 320,
  passages: 50,
  titles: 100,
  learnt: 40_000,
};

/** How long to wait before a failed clean-up is retried. */
const UPKEEP_AGAIN_SECONDS = 60;

/** The most instances whose searches are counted. */
const COUNTED_MAX = 1000;

/**
 * What an engine remembers between calls. Every call checks by version whether remembered rights and documents are current.
 */
export interface Memory {
  readonly rights: Rights;
  readonly forwards: Forwards;
  readonly seen: Seen;
  readonly searches: BoundedMap<number, MinuteCount>;
}

export function newMemory(): Memory {
  return { rights: new Rights(), forwards: new Forwards(), seen: new Seen(), searches: new BoundedMap(COUNTED_MAX) };
}

/** The documents of many instances on one PostgreSQL server. Each method is one call of a port, in one transaction. */
export class PostgresDocuments implements EngineCalls, EngineTransfer {
  readonly #database: Database;
  readonly #memory: Memory;
  readonly #clock: () => number;
  readonly #limits: FindLimits;
  readonly #posting: Posting;

  /** @param clock epoch seconds */
  constructor(
    database: Database,
    memory: Memory,
    clock: () => number,
    limits: FindLimits = POSTGRES_LIMITS,
    posting: Posting = POSTING,
  ) {
    this.#database = database;
    this.#memory = memory;
    this.#clock = clock;
    this.#limits = limits;
    this.#posting = posting;
  }

  apply(instanceId: number, changes: readonly DocumentChange[]) {
    return this.#writeForPipeline(instanceId, (writing, now) => applyChanges(writing, changes, now));
  }

  find(instanceId: number, search: DocumentSearch, seer: Seer) {
    const count = this.#memory.searches.get(instanceId) ?? new MinuteCount();
    this.#memory.searches.set(instanceId, count);
    count.note(this.#clock());
    return this.#read(instanceId, async (rows, instance) => {
      const held = await this.#memory.rights.heldBy(rows, instance, seer);
      const known = this.#memory.forwards.of(instanceId, instance);
      return new Find(rows, instance, search, this.#limits, this.#posting, known, this.#memory.seen).page(held);
    });
  }

  read(instanceId: number, names: readonly DocumentName[], seer: Seer, wanted: WantedParts) {
    return this.#read(instanceId, async (rows, instance) =>
      readDocuments(rows, names, await this.#memory.rights.heldBy(rows, instance, seer), wanted),
    );
  }

  maySee(instanceId: number, datasource: string, externalId: string, seer: Seer) {
    return this.#read(instanceId, async (rows, instance) => {
      const held = await this.#memory.rights.heldBy(rows, instance, seer);
      return (await documentsNamed(rows, { datasource, externalId }, held))[0]?.isSeen;
    });
  }

  explainAccess(instanceId: number, name: DocumentName, seer: Seer) {
    return this.#read(instanceId, async (rows, instance) =>
      explainAccess(rows, name, seer, await this.#memory.rights.heldBy(rows, instance, seer)),
    );
  }

  standingOf(instanceId: number, seer: Seer) {
    return this.#read(instanceId, (rows) => standingOf(rows, seer));
  }

  listDocuments(instanceId: number, datasource: string, place: ListPlace) {
    return this.#read(instanceId, (rows) => listDocuments(rows, datasource, place));
  }

  inspectDocument(instanceId: number, datasource: string, externalId: string) {
    return this.#read(instanceId, (rows) => inspectDocument(rows, datasource, externalId));
  }

  count(instanceId: number, datasource: string) {
    return this.#read(instanceId, async (rows) => (await countOf(rows, datasource, "documents")) ?? 0);
  }

  changeRights(instanceId: number, datasource: string, change: RightsChange) {
    return this.#writeForPipeline(instanceId, (writing) => changeRights(writing, datasource, change));
  }

  takePage(instanceId: number, part: PagePart) {
    return this.#writeForPipeline(instanceId, (writing, now) => takePage(writing, part, now));
  }

  removeNext(instanceId: number, target: UploadTarget) {
    return this.#write(instanceId, async (writing, now) => {
      await removeNext(writing, target, now);
      return progressIn(await uploadOf(writing.rows, target), target.uploadId);
    });
  }

  uploads(instanceId: number, datasource: string) {
    return this.#read(instanceId, (rows) => statusesOf(rows, datasource));
  }

  noteUploadError(instanceId: number, target: UploadTarget, message: string) {
    return this.#write(instanceId, ({ rows }, now) => noteError(rows, target, message, now));
  }

  putValues(instanceId: number, document: DocumentReference, group: MetadataGroup, values: readonly KeyValues[]) {
    return this.#writeForPipeline(instanceId, (writing) => putValues(writing, document, group, values));
  }

  adoptGroup(instanceId: number, group: MetadataGroup) {
    return this.#write(instanceId, async ({ rows }) => {
      await adoptGroup(rows, group);
    });
  }

  forgetGroup(instanceId: number, name: string, upTo: number) {
    return this.#write(instanceId, ({ rows }) => forgetGroup(rows, name, upTo));
  }

  countByGroup(instanceId: number, groupIds: readonly number[], max: number) {
    return this.#read(instanceId, (rows) => countByGroup(rows, groupIds, max));
  }

  countByKey(instanceId: number, groupId: number, max: number) {
    return this.#read(instanceId, (rows) => countByKey(rows, groupId, max));
  }

  stats(instanceId: number) {
    return this.#read(instanceId, async (rows) => ({
      ...(await statsOf(rows)),
      searches: this.#memory.searches.get(instanceId)?.perMinute(this.#clock()) ?? 0,
    }));
  }

  indexedAt(instanceId: number, datasource: string, externalId: string) {
    return this.#read(instanceId, (rows) => indexedAt(rows, datasource, externalId));
  }

  exportPage(instanceId: number, after: string | null) {
    return this.#read(instanceId, (rows) => exportPage(rows, after));
  }

  importPage(instanceId: number, page: ImportPage) {
    return this.#write(instanceId, (writing, now) => importPage(writing, page, now));
  }

  transferState(instanceId: number) {
    return this.#database.read(instanceId, transferState);
  }

  hold(instanceId: number, order: HoldingOrder) {
    return this.#database.write(instanceId, (rows) => hold(rows, order, this.#clock()));
  }

  givePage(instanceId: number, move: number, after: string | null) {
    return this.#database.read(instanceId, (rows) => givePage(rows, move, after));
  }

  takeLines(instanceId: number, page: TakenPage) {
    return this.#database.write(instanceId, (rows) => Writing.of(rows, (writing) => takeLines(writing, page)));
  }

  tally(instanceId: number) {
    return this.#database.read(instanceId, tally);
  }

  erase(instanceId: number, turn: number) {
    return this.#database.write(instanceId, (rows) => erase(rows, turn));
  }

  /** Does the next step of an instance's clean-up. @returns whether there is more to do now */
  upkeep(instanceId: number): Promise<boolean> {
    return this.#database.write(instanceId, (rows) =>
      Writing.of(rows, async (writing) => {
        requireWritable(writing.holding);
        const now = this.#clock();
        const due = await upkeepStep(writing, now, this.#posting);
        await rows.all("UPDATE instances SET upkeep_at = $2, upkeep_failed_at = 0 WHERE instance_id = $1", due);
        return due !== null && due <= now;
      }),
    );
  }

  /** Records that a step of the clean-up failed, and when it is retried. */
  async noteUpkeepFailed(instanceId: number): Promise<void> {
    const now = this.#clock();
    await this.#database.write(instanceId, (rows) =>
      rows.all(
        "UPDATE instances SET upkeep_at = $2, upkeep_failed_at = $3 WHERE instance_id = $1",
        now + UPKEEP_AGAIN_SECONDS,
        now,
      ),
    );
  }

  async #read<Result>(instanceId: number, act: (rows: Rows, instance: Instance) => Promise<Result>): Promise<Result> {
    return this.#database.read(instanceId, async (rows) => {
      const instance = await instanceOf(rows);
      requireReadable(instance.holding);
      return act(rows, instance);
    });
  }

  /** Writes for a pipeline. Not possible while a restore is under way, which could undo the write. */
  #writeForPipeline<Result>(instanceId: number, act: (writing: Writing, now: number) => Promise<Result>) {
    return this.#write(instanceId, async (writing, now) => {
      await requireNoRestore(writing, now);
      return act(writing, now);
    });
  }

  /** Writes to an instance, and schedules its clean-up for what the write leaves behind. */
  async #write<Result>(instanceId: number, act: (writing: Writing, now: number) => Promise<Result>): Promise<Result> {
    return this.#database.write(instanceId, (rows) =>
      Writing.of(rows, async (writing) => {
        requireWritable(writing.holding);
        const now = this.#clock();
        const result = await act(writing, now);
        const due = now + ((await isUpkeepUrgent(rows)) ? 0 : UPKEEP_AFTER_SECONDS);
        await rows.all(
          "UPDATE instances SET upkeep_at = least(coalesce(upkeep_at, $2::bigint), $2::bigint) WHERE instance_id = $1",
          due,
        );
        return result;
      }),
    );
  }
}
