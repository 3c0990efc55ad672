import { DurableObject } from "cloudflare:workers";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import { countOf } from "./counts.ts";
import { ANSWER_MILLISECONDS_MAX } from "./deadline.ts";
import type { ObjectCalls } from "./documents.ts";
import type { DocumentChange, DocumentName, DocumentSearch, Principal, Seer, WantedParts } from "./engine.ts";
import { groupStandings, standingOf } from "./find/access/explain.ts";
import { Finder } from "./find/find.ts";
import { rightsOf } from "./find/access/caller-principals.ts";
import { inTurns } from "./find/reading.ts";
import { othersServed } from "./others-served.ts";
import { applyInSteps, decideInSteps, putInSteps, type Steps, takeInSteps, USUAL_STEPS } from "./in-steps.ts";
import { inspectDocument, listDocuments } from "./inspection/inspect.ts";
import type { ListPlace } from "./inspection/inspection.ts";
import { countByGroup, countByKey } from "./metadata/counting.ts";
import { adoptGroup, forgetGroup } from "./metadata/groups.ts";
import type { GroupValues, MetadataGroup } from "./metadata/metadata.ts";
import { type Language, USUAL_LANGUAGES } from "./languages.ts";
import { isBehind, migrate } from "./migrations.ts";
import { erase } from "./moving/erase.ts";
import { givePage } from "./moving/give.ts";
import { requireReadable, requireWritable, REWOUND } from "./moving/holding.ts";
import type { Due } from "./moving/move.ts";
import { hold, holdingOf, transferState, UNMOVED } from "./moving/state.sql.ts";
import { takeLines } from "./moving/take.ts";
import { tally } from "./moving/tally.ts";
import type { EngineTransfer, Holding, HoldingOrder, TakenPage, TransferState } from "./moving/transfer.ts";
import { changeRights } from "./rights/change-rights.ts";
import { undescribedGroups } from "./rights/rights.sql.ts";
import type { NamedGroup, RightsChange } from "./rights/rights.ts";
import { namedNowhere } from "./sharding/deleted-groups.ts";
import { objectIn, type ObjectPart, partOf } from "./sharding/layout.ts";
import { pageOf } from "./sharding/merge.ts";
import type { ShardCalls } from "./sharding/shard.ts";
import type { SharedDecisions } from "./sharding/shard-page.ts";
import { stateOf, type Store } from "./store.ts";
import { exportPage } from "./upkeep/export.ts";
import { importPage, requireNoRestore } from "./upkeep/import.ts";
import type { DocumentStats, ImportPage } from "./upkeep/keeping.ts";
import { MinuteCount } from "./upkeep/minute-count.ts";
import { indexedAt, noteUpkeep, statsOf } from "./upkeep/stats.ts";
import { groupsNamedHere, isUpkeepUrgent, removeDeletedGroups, unnamedGroups, upkeepStep } from "./upkeep/upkeep.ts";
import { isResolvedBefore } from "./steps.ts";
import { resolveClass } from "./write/access-classes.ts";
import { takeUpLanguages } from "./write/vocabulary.ts";
import type { ResolvedClasses } from "./write/write-step.ts";
import { decideFate, removedDocuments } from "./uploads/bring-back.ts";
import { statusesOf } from "./uploads/statuses.ts";
import { noteError } from "./uploads/uploads.sql.ts";
import type { PagePart, RemovalDecision, RemovedFate, SelectedUploads, UploadTarget } from "./uploads/uploads.ts";

/** How long after a write the clean-up runs. Usually, there are more writes until then. */
const UPKEEP_AFTER_MILLISECONDS = 3_600_000;

const UPKEEP_AGAIN_MILLISECONDS = 60_000;

/**
 * One instance's documents in a database of their own. Each method is one call of a port, in one transaction or in steps. It contains no
 * rules: these are functions on the store.
 */
export class InstanceDocuments extends DurableObject implements ObjectCalls, EngineTransfer, ShardCalls {
  /** The store, without a check of the holding. {@link #readable} has the check. */
  readonly #store: Store;
  /** Why this code can't serve the tables. The store then refuses every statement. */
  #fault: string | null = null;
  #finding: Finder;
  /** The stored holding. Only this object changes it. */
  #holding: Holding = "left";
  readonly #searches = new MinuteCount();
  #takenUp = new Set<Language>(USUAL_LANGUAGES);
  /** How many requests are resolving principals that no document names yet. */
  #resolving = 0;
  /** How pipelines' requests are done. */
  readonly #steps: Steps = {
    ...USUAL_STEPS,
    run: (act, lists = []) =>
      this.#withClasses(lists, (classes) => this.#writeForPipeline((store, now) => act(store, now, classes))),
    leaveToAlarm: () => this.ctx.storage.setAlarm(Date.now() + ANSWER_MILLISECONDS_MAX),
  };

  constructor(context: DurableObjectState, bindings: Cloudflare.Env) {
    super(context, bindings);
    this.#store = {
      exec: <Row>(sql: string, ...values: unknown[]) => {
        if (this.#fault !== null) throw new Error(this.#fault);
        return context.storage.sql.exec(sql, ...values).toArray() as Row[];
      },
    };
    void context.blockConcurrencyWhile(async () => {
      this.#fault = this.#step((store) => migrate(store));
      this.#holding = this.#fault === null ? holdingOf(this.#store) : "serving";
      if (this.#fault === null && isBehind(this.#store)) await context.storage.setAlarm(Date.now());
    });
    this.#finding = new Finder(this.#store);
  }

  /** The platform tells objects their names. */
  get #part(): ObjectPart {
    return partOf(this.ctx.id.name ?? "");
  }

  get #readable(): Store {
    requireReadable(this.#holding);
    return this.#store;
  }

  get #finder(): Finder {
    requireReadable(this.#holding);
    return this.#finding;
  }

  async apply(changes: readonly DocumentChange[]) {
    return applyInSteps(changes, this.#steps);
  }

  /**
   * Resolves long lists of principals in steps of their own, between which other requests are served, before the step that uses them.
   * Until then, the clean-up leaves principals and classes that no document names.
   */
  async #withClasses<Result>(
    lists: readonly (readonly Principal[])[],
    act: (classes: ResolvedClasses) => Promise<Result>,
  ): Promise<Result> {
    const classes = new Map<readonly Principal[], number>();
    this.#resolving += 1;
    try {
      for (const list of lists.filter(isResolvedBefore)) {
        const steps = resolveClass(this.#store, list);
        for (;;) {
          requireWritable(this.#holding);
          const step = this.#step(() => steps.next());
          if (step.done === true) {
            classes.set(list, step.value);
            break;
          }
          await othersServed();
        }
      }
      return await act(classes);
    } finally {
      this.#resolving -= 1;
    }
  }

  async find(search: DocumentSearch, seer: Seer) {
    return pageOf(await this.findInShard(search, seer, null));
  }

  async findInShard(search: DocumentSearch, seer: Seer, shared: SharedDecisions | null) {
    requireReadable(this.#holding);
    this.#searches.note(epochSeconds());
    await this.#takeUp(search.preferences.languages);
    return inTurns((reading) => this.#finder.findInShard(search, seer, shared, reading));
  }

  /** Takes up languages that are new in searches. Until the alarm has learnt them, words are found only as written. */
  async #takeUp(languages: readonly Language[]): Promise<void> {
    if (languages.every((language) => this.#takenUp.has(language))) return;
    const isNew = this.#step((store) => takeUpLanguages(store, languages));
    for (const language of languages) this.#takenUp.add(language);
    if (isNew) await this.ctx.storage.setAlarm(Date.now());
  }

  async read(names: readonly DocumentName[], seer: Seer, wanted: WantedParts) {
    return this.#finder.read(names, seer, wanted);
  }

  async maySee(datasource: string, externalId: string, seer: Seer) {
    return this.#finder.maySee(datasource, externalId, seer);
  }

  async explainAccess(name: DocumentName, seer: Seer) {
    return this.#finder.explainAccess(name, seer);
  }

  async rightsOf(seer: Seer, known: string | null) {
    return rightsOf(this.#readable, seer, known);
  }

  async groupsNamedHere(groups: readonly NamedGroup[]) {
    return groupsNamedHere(this.#readable, groups);
  }

  async groupStandings(datasource: string, names: readonly string[], seer: Seer) {
    return groupStandings(this.#readable, datasource, names, seer);
  }

  async standingOf(seer: Seer) {
    return standingOf(this.#readable, seer);
  }

  async listDocuments(datasource: string, place: ListPlace) {
    return listDocuments(this.#readable, datasource, place);
  }

  async inspectDocument(datasource: string, externalId: string) {
    return inspectDocument(this.#readable, datasource, externalId);
  }

  async count(datasource: string) {
    return countOf(this.#readable, datasource, "documents");
  }

  async changeRights(datasource: string, change: RightsChange) {
    return this.#writeForPipeline((store) => changeRights(store, datasource, change));
  }

  async undescribedGroups(datasource: string, names: readonly string[]) {
    return undescribedGroups(this.#readable, datasource, names);
  }

  async takePart(part: PagePart) {
    return takeInSteps(part, this.#steps);
  }

  async decideRemoval(decision: RemovalDecision) {
    return decideInSteps(decision, this.#steps);
  }

  async removedDocuments() {
    return removedDocuments(this.#readable);
  }

  async decideFate(datasource: string, fate: RemovedFate) {
    const found = await this.#writeForPipeline((store) => decideFate(store, datasource, fate));
    if (found > 0) await this.ctx.storage.setAlarm(Date.now());
    return found;
  }

  async uploads(datasource: string, only?: SelectedUploads) {
    return statusesOf(this.#readable, datasource, only);
  }

  async noteUploadError(target: UploadTarget, message: string): Promise<void> {
    requireWritable(this.#holding);
    this.#step((store, now) => noteError(store, target, message, now));
  }

  async putValues(values: GroupValues) {
    return putInSteps(values, this.#steps);
  }

  async adoptGroup(group: MetadataGroup): Promise<void> {
    await this.#write((store) => adoptGroup(store, group));
  }

  async forgetGroup(name: string, upTo: number): Promise<void> {
    await this.#write((store) => forgetGroup(store, name, upTo));
  }

  async countByGroup(groupIds: readonly number[], max: number) {
    return countByGroup(this.#readable, groupIds, max);
  }

  async countByKey(groupId: number, max: number) {
    return countByKey(this.#readable, groupId, max);
  }

  async stats(): Promise<DocumentStats> {
    const alarm = await this.ctx.storage.getAlarm();
    return {
      ...statsOf(this.#readable),
      bytes: this.ctx.storage.sql.databaseSize,
      fullestBytes: this.ctx.storage.sql.databaseSize,
      searches: this.#searches.perMinute(epochSeconds()),
      alarmAt: alarm === null ? null : Math.floor(alarm / 1000),
    };
  }

  async indexedAt(datasource: string, externalId: string) {
    return indexedAt(this.#readable, datasource, externalId);
  }

  async exportPage(after: string | null) {
    return exportPage(this.#readable, after);
  }

  async importPage(page: ImportPage) {
    return this.#write((store, now) => importPage(store, page, now));
  }

  async transferState(): Promise<TransferState> {
    // So that it can be restored to a time before the upgrade, which asks nothing else before.
    if (this.#fault !== null) return { ...UNMOVED, isEmpty: false };
    return transferState(this.#store);
  }

  async hold(order: HoldingOrder): Promise<TransferState> {
    const state = this.#step((store) => hold(store, order));
    this.#holding = state.holding;
    // Work that was left to the alarm continues in the engine that has the documents now.
    await this.ctx.storage.setAlarm(Date.now());
    return state;
  }

  async givePage(move: number, after: string | null) {
    return this.#step((store) => givePage(store, move, after));
  }

  async takeLines(page: TakenPage) {
    return this.#step((store) => takeLines(store, page));
  }

  async tally() {
    return tally(this.#store);
  }

  async erase(turn: number): Promise<boolean> {
    const isDone = this.#step((store) => erase(store, turn));
    if (isDone) {
      // Row ids start again and no language is taken up, so everything remembered about the old documents has to be forgotten.
      this.#finding = new Finder(this.#store);
      this.#takenUp = new Set(USUAL_LANGUAGES);
    } else {
      // Nothing else may wake the object to continue, because it no longer serves requests.
      await this.ctx.storage.setAlarm(Date.now());
    }
    return isDone;
  }

  async bookmarksAt(at: number): Promise<readonly string[]> {
    return [await this.ctx.storage.getBookmarkForTime(at)];
  }

  /** The platform restores the database when it starts the object again, which is at the next call. */
  async rewindTo(bookmark: string): Promise<void> {
    await this.ctx.storage.onNextSessionRestoreBookmark(bookmark);
    this.ctx.abort(REWOUND);
  }

  /** Does the next step of the clean-up and of a move, and sets the alarm for whichever is due first. */
  override async alarm(): Promise<void> {
    if (this.#fault !== null) {
      log({ level: "error", event: "documents_upkeep_failed", object: this.ctx.id.name, detail: this.#fault });
      return this.ctx.storage.setAlarm(Date.now() + UPKEEP_AGAIN_MILLISECONDS);
    }
    const due = [await this.#moveOn(), this.#cleanUp()].filter((at) => at !== null);
    await this.#removeDeletedGroups();
    if (due.length > 0) await this.ctx.storage.setAlarm(Math.min(...due));
  }

  /**
   * Does one step of the clean-up. While there is more to do, the next step is due at once, and requests are served in between. A
   * step that fails is retried in a minute, because the platform drops an alarm that has failed several times.
   */
  #cleanUp(): number | null {
    // In any other holding, the documents are about to leave, gone or still arriving, and their clean-up is the other engine's
    // task.
    if (this.#holding !== "serving" && this.#holding !== "giving") return null;
    try {
      const trimmed = stateOf(this.#store, "trimmed");
      const due = this.#step((store, now) => {
        noteUpkeep(store, 0);
        return upkeepStep(store, now, { mayRemove: this.#resolving === 0, isOneOfSeveral: this.#part.shards > 1 });
      });
      // Ids were given again, so nothing remembered about rows is true any more.
      if (stateOf(this.#store, "trimmed") !== trimmed) this.#finding = new Finder(this.#store);
      return due === null ? null : due * 1000;
    } catch (error) {
      log({ level: "error", event: "documents_upkeep_failed", object: this.ctx.id.name, detail: describeError(error) });
      this.#step(noteUpkeep);
      return Date.now() + UPKEEP_AGAIN_MILLISECONDS;
    }
  }

  /** Removes the marks of deleted groups, which only the first of several shards has. The next alarm tries again after a failure. */
  async #removeDeletedGroups(): Promise<void> {
    const part = this.#part;
    if (part.shards === 1 || part.shard > 0 || this.#holding !== "serving") return;
    if (stateOf(this.#store, "importing") !== 0) return;
    const { DOCUMENTS, LOCAL_DEVELOPMENT } = this.env;
    const others = Array.from({ length: part.shards - 1 }, (_, other) => {
      return objectIn(DOCUMENTS, { ...part, shard: other + 1 }, LOCAL_DEVELOPMENT === "true") as ShardCalls;
    });
    try {
      const gone = await namedNowhere(unnamedGroups(this.#store), others);
      if (gone.length > 0) this.#step((store) => removeDeletedGroups(store, gone));
    } catch (error) {
      log({ level: "error", event: "documents_upkeep_failed", object: this.ctx.id.name, detail: describeError(error) });
    }
  }

  /** The first shard continues a move, and any that is being emptied after one. */
  async #moveOn(): Promise<number | null> {
    const { instanceId, shard } = this.#part;
    if (transferState(this.#store).move === 0 || (shard > 0 && this.#holding !== "left")) return null;
    const due = await this.goOnMoving(instanceId);
    return due === null ? null : Date.now() + due.inSeconds * 1000;
  }

  /** Continues the move of this instance's documents. The Worker's entry point overrides this. */
  protected goOnMoving(_instanceId: number): Promise<Due> {
    return Promise.resolve(null);
  }

  /** Runs a step that may leave work for the alarm. */
  async #write<Result>(act: (store: Store, now: number) => Result): Promise<Result> {
    requireWritable(this.#holding);
    const result = this.#step(act);
    const latest = Date.now() + (isUpkeepUrgent(this.#store) ? 0 : UPKEEP_AFTER_MILLISECONDS);
    const due = await this.ctx.storage.getAlarm();
    if (due === null || due > latest) await this.ctx.storage.setAlarm(latest);
    return result;
  }

  /** Runs a pipeline's write, which a restore must not undo. */
  #writeForPipeline<Result>(act: (store: Store, now: number) => Result): Promise<Result> {
    return this.#write((store, now) => {
      requireNoRestore(store, now);
      return act(store, now);
    });
  }

  /** Runs a step in one transaction: all of it takes effect, or nothing. */
  #step<Result>(act: (store: Store, now: number) => Result): Result {
    return this.ctx.storage.transactionSync(() => act(this.#store, epochSeconds()));
  }
}
