import { noHistory } from "../moving-world.ts";
import { countOf } from "#documents/counts.ts";
import type { Documents, ObjectCalls } from "#documents/documents.ts";
import { groupStandings, standingOf } from "#documents/find/access/explain.ts";
import { Finder } from "#documents/find/find.ts";
import type { FindLimits } from "#documents/find/limits.ts";
import { rightsOf } from "#documents/find/access/caller-principals.ts";
import { applyInSteps, decideInSteps, putInSteps, type Steps, takeInSteps, USUAL_STEPS } from "#documents/in-steps.ts";
import { inspectDocument, listDocuments } from "#documents/inspection/inspect.ts";
import { countByGroup, countByKey } from "#documents/metadata/counting.ts";
import { adoptGroup, forgetGroup } from "#documents/metadata/groups.ts";
import { type Engines, Placements } from "#documents/moving/engines.ts";
import { erase } from "#documents/moving/erase.ts";
import { givePage } from "#documents/moving/give.ts";
import { requireReadable, requireWritable } from "#documents/moving/holding.ts";
import { hold, transferState } from "#documents/moving/state.sql.ts";
import type { EngineTransfer } from "#documents/moving/transfer.ts";
import { takeLines } from "#documents/moving/take.ts";
import { tally } from "#documents/moving/tally.ts";
import { remoteDocuments } from "#documents/remote-documents.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import { namedNowhere } from "#documents/sharding/deleted-groups.ts";
import { KnownRights } from "#documents/sharding/person-rights.ts";
import type { ShardObject } from "#documents/sharding/shard.ts";
import { ShardedDocuments } from "#documents/sharding/sharded-documents.ts";
import { ShardedTransfer } from "#documents/sharding/sharded-transfer.ts";
import { Shards } from "#documents/sharding/shards.ts";
import { exportPage } from "#documents/upkeep/export.ts";
import { importPage, requireNoRestore } from "#documents/upkeep/import.ts";
import { indexedAt, statsOf } from "#documents/upkeep/stats.ts";
import { groupsNamedHere, removeDeletedGroups, unnamedGroups, upkeepStep } from "#documents/upkeep/upkeep.ts";
import { decideFate, removedDocuments } from "#documents/uploads/bring-back.ts";
import { undescribedGroups } from "#documents/rights/rights.sql.ts";
import { statusesOf } from "#documents/uploads/statuses.ts";
import { noteError } from "#documents/uploads/uploads.sql.ts";
import { SqliteStore } from "../../support/node/sqlite-store.ts";

/** So small that every section of a move takes several pages. */
const TINY_PAGE = { rows: 4, documents: 3, characters: 1000 };

export interface ObjectOptions {
  readonly clock: () => number;
  readonly limits?: FindLimits;
  readonly isOneOfSeveral?: boolean;
  /** Whether arguments and results aren't cloned and calls don't wait, to measure them. */
  readonly isTrusted?: boolean;
  /** The file of a shard's database; in memory by default. */
  readonly fileOf?: (shard: number) => string;
  /** How much of a call each step does, and how long the call goes on. */
  readonly pace?: Pick<Steps, "work" | "milliseconds">;
  /** Called before each call or step, and after each call, which fails if this throws. */
  readonly meet?: (call: string) => void | Promise<void>;
}

/** An object's calls without an object: over Node's SQLite, with arguments and results cloned as between objects. */
export class LocalObject {
  readonly store: SqliteStore;
  readonly calls: ShardObject;
  readonly #options: ObjectOptions;

  constructor(options: ObjectOptions, shard = 0) {
    this.#options = options;
    this.store = new SqliteStore(options.fileOf?.(shard));
    this.calls = this.#calls();
  }

  /** Does one step of what the alarm does. @returns whether there is more to do at once */
  upkeep(): boolean {
    const { clock, isOneOfSeveral = false } = this.#options;
    const { holding } = transferState(this.store);
    if (holding !== "serving" && holding !== "giving") return false;
    const due = this.store.transaction(() => upkeepStep(this.store, clock(), { isOneOfSeveral }));
    return due !== null && due <= clock();
  }

  #calls(): ShardObject {
    const { store } = this;
    const { clock, limits, meet, isTrusted, pace } = this.#options;
    let finder = new Finder(store, limits);
    const call =
      <Given extends unknown[], Result>(name: string, act: (...given: Given) => Result) =>
      async (...given: Given): Promise<Result> => {
        if (isTrusted) return store.transaction(() => act(...given));
        await meet?.(name);
        const result = structuredClone(store.transaction(() => act(...structuredClone(given))));
        await meet?.(name);
        return result;
      };
    const holding = () => transferState(store).holding;
    const reading = <Given extends unknown[], Result>(name: string, act: (...given: Given) => Result) =>
      call(name, (...given: Given) => {
        requireReadable(holding());
        return act(...given);
      });
    const writing = <Given extends unknown[], Result>(name: string, act: (...given: Given) => Result) =>
      call(name, (...given: Given) => {
        requireWritable(holding());
        requireNoRestore(store, clock());
        return act(...given);
      });
    const inSteps =
      <Given, Result>(name: string, act: (given: Given, steps: Steps) => Promise<Result>) =>
      async (given: Given): Promise<Result> => {
        const run: Steps["run"] = async (step) => {
          if (!isTrusted) await meet?.(name);
          requireWritable(holding());
          return store.transaction(() => {
            requireNoRestore(store, clock());
            return step(store, clock());
          });
        };
        const steps = { ...USUAL_STEPS, ...pace, run, leaveToAlarm: async () => undefined };
        if (isTrusted) return act(given, steps);
        const result = structuredClone(await act(structuredClone(given), steps));
        await meet?.(name);
        return result;
      };
    return {
      apply: inSteps("apply", applyInSteps),
      find: reading("find", (search, seer) => finder.find(search, seer)),
      findInShard: reading("findInShard", (search, seer, shared) => finder.findInShard(search, seer, shared)),
      read: reading("read", (names, seer, wanted) => finder.read(names, seer, wanted)),
      maySee: reading("maySee", (datasource, externalId, seer) => finder.maySee(datasource, externalId, seer)),
      explainAccess: reading("explainAccess", (name, seer) => finder.explainAccess(name, seer)),
      rightsOf: reading("rightsOf", (seer, known) => rightsOf(store, seer, known)),
      groupsNamedHere: reading("groupsNamedHere", (groups) => groupsNamedHere(store, groups)),
      groupStandings: reading("groupStandings", (datasource, names, seer) =>
        groupStandings(store, datasource, names, seer),
      ),
      standingOf: reading("standingOf", (seer) => standingOf(store, seer)),
      listDocuments: reading("listDocuments", (datasource, place) => listDocuments(store, datasource, place)),
      inspectDocument: reading("inspectDocument", (datasource, id) => inspectDocument(store, datasource, id)),
      count: reading("count", (datasource) => countOf(store, datasource, "documents")),
      changeRights: writing("changeRights", (datasource, change) => changeRights(store, datasource, change)),
      undescribedGroups: reading("undescribedGroups", (datasource, names) =>
        undescribedGroups(store, datasource, names),
      ),
      takePart: inSteps("takePart", takeInSteps),
      decideRemoval: inSteps("decideRemoval", decideInSteps),
      removedDocuments: reading("removedDocuments", () => removedDocuments(store)),
      decideFate: writing("decideFate", (datasource, fate) => decideFate(store, datasource, fate)),
      uploads: reading("uploads", (datasource, only) => statusesOf(store, datasource, only)),
      noteUploadError: writing("noteUploadError", (target, message) => noteError(store, target, message, clock())),
      putValues: inSteps("putValues", putInSteps),
      adoptGroup: writing("adoptGroup", (group) => void adoptGroup(store, group)),
      forgetGroup: writing("forgetGroup", (name, upTo) => forgetGroup(store, name, upTo)),
      countByGroup: reading("countByGroup", (groupIds, max) => countByGroup(store, groupIds, max)),
      countByKey: reading("countByKey", (groupId, max) => countByKey(store, groupId, max)),
      stats: reading("stats", () => ({
        ...statsOf(store),
        bytes: 0,
        fullestBytes: 0,
        searches: 0,
        alarmAt: null,
      })),
      indexedAt: reading("indexedAt", (datasource, externalId) => indexedAt(store, datasource, externalId)),
      exportPage: reading("exportPage", (after) => exportPage(store, after)),
      importPage: call("importPage", (page) => importPage(store, page, clock())),
      transferState: call("transferState", () => transferState(store)),
      hold: call("hold", (order) => hold(store, order)),
      givePage: call("givePage", (move, after) => givePage(store, move, after, TINY_PAGE)),
      takeLines: call("takeLines", (page) => takeLines(store, page)),
      tally: call("tally", () => tally(store)),
      bookmarksAt: noHistory,
      rewindTo: noHistory,
      erase: call("erase", (turn) => {
        const isDone = erase(store, turn);
        if (isDone) finder = new Finder(store, limits);
        return isDone;
      }),
    };
  }
}

export const INSTANCE = 1;

/** One instance's objects. */
export class LocalShards {
  readonly objects: readonly LocalObject[];
  readonly engine: ObjectCalls;
  /** The same as the rest of the Worker calls them. */
  readonly documents: Documents;
  readonly transfer: EngineTransfer;

  constructor(shards: number, options: ObjectOptions) {
    const isOneOfSeveral = shards > 1;
    this.objects = Array.from({ length: shards }, (_, shard) => new LocalObject({ ...options, isOneOfSeveral }, shard));
    const all = new Shards(shards, (shard) => (this.objects[shard] as LocalObject).calls);
    const engine = isOneOfSeveral ? new ShardedDocuments(all, new KnownRights(), INSTANCE) : all.first();
    this.engine = engine;
    const placements = new Placements({ placementOf: async () => ({ engine: "object", turn: 0 }) });
    this.documents = remoteDocuments(placements, { callsOf: () => engine } as unknown as Engines);
    this.transfer = isOneOfSeveral ? new ShardedTransfer(all) : all.first();
  }

  /** Does what the alarms of all objects do, until nothing is left to do at once. */
  async cleanUp(): Promise<void> {
    for (const object of this.objects) for (let left = 300; left > 0 && object.upkeep(); left--);
    if (this.objects.length === 1) return;
    const [{ store }, ...others] = this.objects as [LocalObject, ...LocalObject[]];
    const gone = await namedNowhere(
      unnamedGroups(store),
      others.map(({ calls }) => calls),
    );
    store.transaction(() => removeDeletedGroups(store, gone));
  }

  close(): void {
    for (const { store } of this.objects) store.close();
  }
}
