import { StorageUnavailable } from "#platform/d1.ts";
import { describeError } from "#platform/log.ts";
import { within } from "#platform/patience.ts";
import { AHEAD_TEXT, STORAGE_AHEAD } from "#platform/schema-version.ts";
import { ApiError } from "#protocol/errors.ts";
import { ANSWER_MILLISECONDS_MAX, readRepeatedly } from "./deadline.ts";
import type { Documents, ObjectCalls } from "./documents.ts";
import type { Engines, Placement, Placements } from "./moving/engines.ts";
import { isElsewhere } from "./moving/holding.ts";
import { placeIn, placeWithin } from "./moving/place.ts";
import { callsOfChanges, callsOfPage, callsOfValues } from "./steps.ts";
import { nothingTaken } from "./uploads/uploads.ts";

const RETRY_AFTER_SECONDS = 5;

/** Calls that are passed on as they are, and how each is made. */
const PASSED_ON = {
  read: "search",
  maySee: "read",
  explainAccess: "search",
  standingOf: "search",
  listDocuments: "search",
  inspectDocument: "search",
  count: "read",
  undescribedGroups: "read",
  decideRemoval: "write",
  removedDocuments: "read",
  decideFate: "write",
  uploads: "read",
  noteUploadError: "write",
  adoptGroup: "write",
  forgetGroup: "write",
  countByGroup: "read",
  countByKey: "read",
  stats: "read",
  indexedAt: "read",
  importPage: "write",
} as const satisfies Partial<Record<keyof ObjectCalls, How>>;

type PassedOn = Pick<Documents, keyof typeof PASSED_ON>;

/** `search`: reads for somebody who searches. `read`: reads for everybody else. `write`: changes something, so it is never repeated. */
type How = "search" | "read" | "write";

/**
 * Returns every instance's documents, in the engine where they are placed. This is usually the instance's own object, which is created by
 * name at the first write, with nothing to provision. If an engine doesn't respond, the response is 503, and nothing else in the
 * service waits for it.
 */
export function remoteDocuments(placements: Placements, engines: Engines): Documents {
  const caller = new EngineCaller(placements, engines);
  const passedOn = Object.entries(PASSED_ON).map(([call, how]) => [
    call,
    (instanceId: number, ...given: unknown[]) =>
      caller.call(instanceId, how, (engine) =>
        (engine[call as keyof ObjectCalls] as (...all: unknown[]) => Promise<unknown>)(...given),
      ),
  ]);
  return {
    ...(Object.fromEntries(passedOn) as PassedOn),
    // Large requests are applied in steps. Each takes effect by itself, and if one fails, those before it remain.
    apply: (instanceId, changes) =>
      caller.inCalls(instanceId, callsOfChanges(changes), (engine, rest) => engine.apply(rest)),
    putValues: (instanceId, { group, documents }) =>
      caller.inCalls(instanceId, callsOfValues(documents), (engine, rest) =>
        engine.putValues({ group, documents: rest }),
      ),
    find: (instanceId, search, seer) =>
      caller.call(instanceId, "search", async (engine, placement) => {
        const page = await engine.find({ ...search, position: placeWithin(placement, search.position) }, seer);
        return { ...page, next: placeIn(placement, page.next) };
      }),
    exportPage: (instanceId, after) =>
      caller.call(instanceId, "read", async (engine, placement) => {
        const page = await engine.exportPage(placeWithin(placement, after));
        return { ...page, next: placeIn(placement, page.next) };
      }),
    async changeRights(instanceId, datasource, change) {
      for (;;) {
        const outcome = await caller.call(instanceId, "write", (engine) => engine.changeRights(datasource, change));
        if (outcome !== "more") return outcome;
      }
    },
    async takePage(instanceId, page) {
      let progress = nothingTaken(page.uploadId);
      for (const part of callsOfPage(page)) {
        let done = 0;
        do {
          const rest = { ...part, items: part.items.slice(done), isFirstPart: part.isFirstPart && done === 0 };
          const answer = await caller.call(instanceId, "write", (engine) => engine.takePart(rest));
          if ("refused" in answer) return answer;
          const { taken, ...now } = answer;
          progress = now;
          done += taken;
        } while (done < part.items.length);
      }
      return progress;
    },
  };
}

/** A call to the engine of a placement. */
type Asking<Result> = (engine: ObjectCalls, placement: Placement) => Promise<Result>;

/** Calls the engine where an instance's documents are. */
class EngineCaller {
  readonly #placements: Placements;
  readonly #engines: Engines;

  constructor(placements: Placements, engines: Engines) {
    this.#placements = placements;
    this.#engines = engines;
  }

  /**
   * Makes one call.
   *
   * @throws {ApiError} for a search, `search_unavailable` if the engine fails; for others, `conflict` if it is full
   * @throws {StorageUnavailable} for others, if the engine fails
   */
  async call<Result>(instanceId: number, how: How, act: Asking<Result>): Promise<Result> {
    try {
      return await this.#ask(instanceId, how, act);
    } catch (cause) {
      if (cause instanceof ApiError) throw cause;
      throw how === "search" ? searchUnavailable(cause) : storageUnavailable(cause);
    }
  }

  /** Makes calls that change something, and repeats each with the rest until the engine has done all of it. */
  async inCalls<Item, Outcome>(
    instanceId: number,
    calls: Iterable<readonly Item[]>,
    act: (engine: ObjectCalls, rest: readonly Item[]) => Promise<readonly Outcome[]>,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const call of calls) {
      for (let done = 0; done < call.length; ) {
        const rest = call.slice(done);
        const more = await this.call(instanceId, "write", (engine) => act(engine, rest));
        outcomes.push(...more);
        done += more.length;
      }
    }
    return outcomes;
  }

  /**
   * Calls the engine. If the placement is out of date, the engine that the documents left refuses without doing anything, so the
   * call can be repeated with the new one. The same applies to a position from a later turn, which is refused before the engine
   * is called.
   */
  async #ask<Result>(instanceId: number, how: How, act: Asking<Result>): Promise<Result> {
    const at = (placement: Placement) => {
      // After an error, the platform's stub of an object may be broken, so each attempt gets its own.
      const once = () => act(this.#engines.callsOf(placement.engine, instanceId), placement);
      return how === "write" ? once() : readRepeatedly(once);
    };
    const ask = async () => {
      const placement = await this.#placements.of(instanceId);
      try {
        return await at(placement);
      } catch (cause) {
        if (!(cause instanceof ApiError) && !isElsewhere(describeError(cause))) throw cause;
        const now = await this.#placements.reread(instanceId);
        if (now.turn === placement.turn) throw cause;
        return at(now);
      }
    };
    return within(ANSWER_MILLISECONDS_MAX, "the engine did not answer in time", ask());
  }
}

function searchUnavailable(cause: unknown): ApiError {
  const isAhead = describeError(cause).includes(STORAGE_AHEAD);
  return new ApiError("search_unavailable", {
    reason: isAhead ? STORAGE_AHEAD : "documents_unavailable",
    ...(isAhead ? { description: AHEAD_TEXT } : {}),
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

function storageUnavailable(cause: unknown): ApiError | StorageUnavailable {
  if (!describeError(cause).includes("SQLITE_FULL")) return new StorageUnavailable("documents failed", { cause });
  return new ApiError("conflict", {
    reason: "documents_full",
    description: "The instance's documents use all of their 10 GB: remove some first",
  });
}
