import type { Count, CountedKind, D1Usage, Failure } from "./usage.d1.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import { inBatches } from "#platform/sweep.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** How long counts stay in an isolate's memory before they are written. */
const WRITE_AFTER_SECONDS = 60;

/**
 * The most different counts in memory. Names come from our own code, so more of them within a minute would be a defect, which must
 * not fill the memory.
 */
const WAITING_MAX = 500;

export const OVERVIEW_DAYS = 30;

const DAY_SECONDS = 86_400;

/**
 * Refusals that are part of ordinary use: every connection begins with a call without a token or a nonce, and scanners try addresses.
 */
const ORDINARY: ReadonlySet<string> = new Set<RefusalReason>(["credential_missing", "dpop_nonce_missing", "no_route"]);

/** The names by which events of each kind are counted. */
interface CountedNames {
  readonly token: string;
  readonly refusal: RefusalReason;
}

/**
 * Counts how an instance is used. Counts are approximate: they are only for people to look at, and nothing is decided by them.
 */
export class Usage {
  readonly #store: Pick<D1Usage, keyof D1Usage>;
  readonly #waiting = new Map<string, Count>();
  #waitingSince = 0;

  constructor(store: Pick<D1Usage, keyof D1Usage>) {
    this.#store = store;
  }

  /** Counts one event. About once a minute, writes the collected counts after the response. */
  note<Kind extends CountedKind>(instanceId: number, kind: Kind, name: CountedNames[Kind], waitUntil: WaitUntil): void {
    if (kind === "refusal" && ORDINARY.has(name)) return;
    const now = epochSeconds();
    const day = Math.floor(now / DAY_SECONDS);
    const key = `${instanceId} ${day} ${kind} ${name}`;
    const waiting = this.#waiting.get(key);
    if (!waiting && this.#waiting.size >= WAITING_MAX) return;
    if (this.#waiting.size === 0) this.#waitingSince = now;
    this.#waiting.set(key, { instanceId, day, kind, name, count: (waiting?.count ?? 0) + 1 });
    if (now - this.#waitingSince < WRITE_AFTER_SECONDS) return;
    const counts = [...this.#waiting.values()];
    this.#waiting.clear();
    waitUntil(this.#store.add(counts).catch(notWritten));
  }

  /** Stores a failure for the overview, after the response. */
  noteFailure(instanceId: number, failure: Omit<Failure, "at">, waitUntil: WaitUntil): void {
    waitUntil(this.#store.keepFailure(instanceId, { ...failure, at: epochSeconds() }).catch(notWritten));
  }

  /**
   * Returns the last {@link OVERVIEW_DAYS} days, oldest first; the reasons of their refusals, most frequent first; and the latest
   * failures.
   */
  async overview(instanceId: number) {
    const today = Math.floor(epochSeconds() / DAY_SECONDS);
    const first = today - OVERVIEW_DAYS + 1;
    const [counts, failures] = await Promise.all([
      this.#store.counts(instanceId, first),
      this.#store.failures(instanceId),
    ]);
    const days = Array.from({ length: OVERVIEW_DAYS }, (_, index) => {
      const ofDay = counts.filter(({ day }) => day === first + index);
      return { at: (first + index) * DAY_SECONDS, tokens: sum(ofDay, "token"), refusals: sum(ofDay, "refusal") };
    });
    const reasons = Map.groupBy(
      counts.filter(({ kind }) => kind === "refusal"),
      ({ name }) => name,
    );
    const refusals = [...reasons]
      .map(([reason, ofReason]) => ({ reason: reason as RefusalReason, count: sum(ofReason, "refusal") }))
      .sort((one, other) => other.count - one.count);
    return { days, refusals, failures };
  }

  /** Deletes counts that are too old for any page. @returns how many */
  sweep(): Promise<number> {
    const firstKept = Math.floor(epochSeconds() / DAY_SECONDS) - 2 * OVERVIEW_DAYS;
    return inBatches((rowsMax) => this.#store.sweep(firstKept, rowsMax));
  }
}

function sum(counts: readonly Count[], wanted: CountedKind): number {
  return counts.filter(({ kind }) => kind === wanted).reduce((total, { count }) => total + count, 0);
}

function notWritten(error: unknown): void {
  log({ level: "warn", event: "usage_not_written", detail: describeError(error) });
}
