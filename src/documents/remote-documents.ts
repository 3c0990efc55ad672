import { StorageUnavailable } from "#platform/d1.ts";
import { describeError } from "#platform/log.ts";
import { within } from "#platform/patience.ts";
import { AHEAD_TEXT, STORAGE_AHEAD } from "#platform/schema-version.ts";
import { ApiError } from "#protocol/errors.ts";
import { ANSWER_MILLISECONDS_MAX, readRepeatedly } from "./deadline.ts";
import type { Documents, EngineCalls } from "./documents.ts";
import type { ChangeOutcome, DocumentChange, DocumentName, DocumentSearch, Seer, WantedParts } from "./engine.ts";
import type { ListPlace } from "./inspection/inspection.ts";
import type { BulkValues, DocumentReference, KeyValues, MetadataGroup, ValuesOutcome } from "./metadata/metadata.ts";
import type { RightsChange } from "./rights/rights.ts";
import type { Engines } from "./moving/engines.ts";
import { isElsewhere } from "./moving/holding.ts";
import { placeIn, placeWithin } from "./moving/place.ts";
import type { Placement, Placements } from "./moving/placement.ts";
import { callsOfChanges, callsOfPage, callsOfValues } from "./steps.ts";
import { type ImportPage, NOTHING_HELD } from "./upkeep/keeping.ts";
import {
  nothingTaken,
  type PageRefused,
  type RemovalDecision,
  type RemovedFate,
  type SelectedUploads,
  type UploadPage,
  type UploadProgress,
  type UploadTarget,
} from "./uploads/uploads.ts";

const RETRY_AFTER_SECONDS = 5;

/** A call to the engine of a placement. */
type Asking<Result> = (engine: EngineCalls, placement: Placement) => Promise<Result>;

/**
 * Every instance's documents, in the engine where they are placed. This is usually the instance's own object, which is created by
 * name at the first write, with nothing to provision. If an engine doesn't respond, the response is 503, and nothing else in the
 * service waits for it.
 */
export class RemoteDocuments implements Documents {
  readonly #placements: Placements;
  readonly #engines: Engines;

  constructor(placements: Placements, engines: Engines) {
    this.#placements = placements;
    this.#engines = engines;
  }

  /** Large requests are applied in steps. Each takes effect by itself, and if one fails, those before it remain. */
  apply(instanceId: number, changes: readonly DocumentChange[]): Promise<ChangeOutcome[]> {
    return this.#inCalls(instanceId, callsOfChanges(changes), (engine, rest) => engine.apply(instanceId, rest));
  }

  find(instanceId: number, search: DocumentSearch, seer: Seer) {
    return this.#orSearchUnavailable(instanceId, async (engine, placement) => {
      const position = placeWithin(placement, search.position);
      const page = await engine.find(instanceId, { ...search, position }, seer);
      return { ...page, next: placeIn(placement, page.next) };
    });
  }

  read(instanceId: number, names: readonly DocumentName[], seer: Seer, wanted: WantedParts) {
    return this.#orSearchUnavailable(instanceId, (engine) => engine.read(instanceId, names, seer, wanted));
  }

  maySee(instanceId: number, datasource: string, externalId: string, seer: Seer) {
    return this.#readOrStorageUnavailable(instanceId, (engine) =>
      engine.maySee(instanceId, datasource, externalId, seer),
    );
  }

  explainAccess(instanceId: number, name: DocumentName, seer: Seer) {
    return this.#orSearchUnavailable(instanceId, (engine) => engine.explainAccess(instanceId, name, seer));
  }

  standingOf(instanceId: number, seer: Seer) {
    return this.#orSearchUnavailable(instanceId, (engine) => engine.standingOf(instanceId, seer));
  }

  listDocuments(instanceId: number, datasource: string, place: ListPlace) {
    return this.#orSearchUnavailable(instanceId, (engine) => engine.listDocuments(instanceId, datasource, place));
  }

  inspectDocument(instanceId: number, datasource: string, externalId: string) {
    return this.#orSearchUnavailable(instanceId, (engine) =>
      engine.inspectDocument(instanceId, datasource, externalId),
    );
  }

  count(instanceId: number, datasource: string) {
    return this.#readOrStorageUnavailable(instanceId, (engine) => engine.count(instanceId, datasource));
  }

  async changeRights(instanceId: number, datasource: string, change: RightsChange) {
    for (;;) {
      const outcome = await this.#orStorageUnavailable(instanceId, (engine) =>
        engine.changeRights(instanceId, datasource, change),
      );
      if (outcome !== "more") return outcome;
    }
  }

  undescribedGroups(instanceId: number, datasource: string, names: readonly string[]) {
    return this.#readOrStorageUnavailable(instanceId, (engine) =>
      engine.undescribedGroups(instanceId, datasource, names),
    );
  }

  async takePage(instanceId: number, page: UploadPage): Promise<UploadProgress | PageRefused> {
    let progress = nothingTaken(page.uploadId);
    for (const part of callsOfPage(page)) {
      let done = 0;
      do {
        const rest = { ...part, items: part.items.slice(done), isFirstPart: part.isFirstPart && done === 0 };
        const answer = await this.#orStorageUnavailable(instanceId, (engine) => engine.takePart(instanceId, rest));
        if ("refused" in answer) return answer;
        const { taken, ...now } = answer;
        // An object of the release before says nothing about what is held.
        progress = { ...nothingTaken(page.uploadId), ...now };
        done += taken;
      } while (done < part.items.length);
    }
    return progress;
  }

  decideRemoval(instanceId: number, decision: RemovalDecision) {
    return this.#orStorageUnavailable(instanceId, (engine) => engine.decideRemoval(instanceId, decision));
  }

  removedDocuments(instanceId: number) {
    return this.#readOrStorageUnavailable(instanceId, (engine) => engine.removedDocuments(instanceId));
  }

  decideFate(instanceId: number, datasource: string, fate: RemovedFate) {
    return this.#orStorageUnavailable(instanceId, (engine) => engine.decideFate(instanceId, datasource, fate));
  }

  uploads(instanceId: number, datasource: string, only?: SelectedUploads) {
    return this.#readOrStorageUnavailable(instanceId, (engine) => engine.uploads(instanceId, datasource, only));
  }

  noteUploadError(instanceId: number, target: UploadTarget, message: string) {
    return this.#orStorageUnavailable(instanceId, (engine) => engine.noteUploadError(instanceId, target, message));
  }

  putValues(instanceId: number, document: DocumentReference, group: MetadataGroup, values: readonly KeyValues[]) {
    return this.#orStorageUnavailable(instanceId, (engine) => engine.putValues(instanceId, document, group, values));
  }

  /** As {@link apply}. */
  putBulkValues(instanceId: number, { group, documents }: BulkValues): Promise<ValuesOutcome[]> {
    return this.#inCalls(instanceId, callsOfValues(documents), (engine, rest) =>
      engine.putBulkValues(instanceId, { group, documents: rest }),
    );
  }

  adoptGroup(instanceId: number, group: MetadataGroup) {
    return this.#orStorageUnavailable(instanceId, (engine) => engine.adoptGroup(instanceId, group));
  }

  forgetGroup(instanceId: number, name: string, upTo: number) {
    return this.#orStorageUnavailable(instanceId, (engine) => engine.forgetGroup(instanceId, name, upTo));
  }

  countByGroup(instanceId: number, groupIds: readonly number[], max: number) {
    return this.#readOrStorageUnavailable(instanceId, (engine) => engine.countByGroup(instanceId, groupIds, max));
  }

  countByKey(instanceId: number, groupId: number, max: number) {
    return this.#readOrStorageUnavailable(instanceId, (engine) => engine.countByKey(instanceId, groupId, max));
  }

  stats(instanceId: number) {
    return this.#readOrStorageUnavailable(instanceId, async (engine) => ({
      ...NOTHING_HELD,
      ...(await engine.stats(instanceId)),
    }));
  }

  indexedAt(instanceId: number, datasource: string, externalId: string) {
    return this.#readOrStorageUnavailable(instanceId, (engine) => engine.indexedAt(instanceId, datasource, externalId));
  }

  exportPage(instanceId: number, after: string | null) {
    return this.#readOrStorageUnavailable(instanceId, async (engine, placement) => {
      const page = await engine.exportPage(instanceId, placeWithin(placement, after));
      return { ...page, next: placeIn(placement, page.next) };
    });
  }

  importPage(instanceId: number, page: ImportPage) {
    return this.#orStorageUnavailable(instanceId, (engine) => engine.importPage(instanceId, page));
  }

  /** Makes calls, and repeats each with the rest until the engine has done all of it. */
  async #inCalls<Item, Outcome>(
    instanceId: number,
    calls: Iterable<readonly Item[]>,
    act: (engine: EngineCalls, rest: readonly Item[]) => Promise<readonly Outcome[]>,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const call of calls) {
      for (let done = 0; done < call.length; ) {
        const rest = call.slice(done);
        const more = await this.#orStorageUnavailable(instanceId, (engine) => act(engine, rest));
        outcomes.push(...more);
        done += more.length;
      }
    }
    return outcomes;
  }

  /** Reads for somebody who searches. @throws {ApiError} `search_unavailable` if the engine fails */
  async #orSearchUnavailable<Result>(instanceId: number, read: Asking<Result>): Promise<Result> {
    try {
      return await this.#ask(instanceId, repeatedly(read));
    } catch (cause) {
      if (cause instanceof ApiError) throw cause;
      const isAhead = describeError(cause).includes(STORAGE_AHEAD);
      throw new ApiError("search_unavailable", {
        reason: isAhead ? STORAGE_AHEAD : "documents_unavailable",
        ...(isAhead ? { description: AHEAD_TEXT } : {}),
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause,
      });
    }
  }

  /** Reads for everybody else. @throws as {@link #orStorageUnavailable} */
  #readOrStorageUnavailable<Result>(instanceId: number, read: Asking<Result>): Promise<Result> {
    return this.#orStorageUnavailable(instanceId, repeatedly(read));
  }

  /**
   * Calls the engine for everybody else.
   *
   * @throws {StorageUnavailable} if the engine fails
   * @throws {ApiError} `conflict` if it is full
   */
  async #orStorageUnavailable<Result>(instanceId: number, act: Asking<Result>): Promise<Result> {
    try {
      return await this.#ask(instanceId, act);
    } catch (cause) {
      if (cause instanceof ApiError) throw cause;
      if (describeError(cause).includes("SQLITE_FULL")) {
        throw new ApiError("conflict", {
          reason: "documents_full",
          description: "The instance's documents use all of their 10 GB: remove some first",
        });
      }
      throw new StorageUnavailable("documents failed", { cause });
    }
  }

  /**
   * Calls the engine. If the placement is out of date, the engine that the documents left refuses without doing anything, so the
   * call can be repeated with the new one. The same applies to a position from a later turn, which is refused before the engine
   * is called.
   */
  async #ask<Result>(instanceId: number, act: Asking<Result>): Promise<Result> {
    const ask = async () => {
      const placement = await this.#placements.of(instanceId);
      try {
        return await act(this.#engines.require(placement.engine), placement);
      } catch (cause) {
        if (!(cause instanceof ApiError) && !isElsewhere(describeError(cause))) throw cause;
        const now = await this.#placements.reread(instanceId);
        if (now.turn === placement.turn) throw cause;
        return act(this.#engines.require(now.engine), now);
      }
    };
    return within(ANSWER_MILLISECONDS_MAX, "the engine did not answer in time", ask());
  }
}

function repeatedly<Result>(read: Asking<Result>): Asking<Result> {
  return (engine, placement) => readRepeatedly(() => read(engine, placement));
}
