import type { WaitUntil } from "#platform/wait-until.ts";
import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import { inBatches } from "#platform/sweep.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Counts wait so long in an isolate's memory before they are written. */
const WRITE_AFTER_SECONDS = 60;

/** Reasons are words of ours; more different ones than this in a minute would be a defect, and must not fill the memory. */
const WAITING_MAX = 500;

/** What the overview looks back on. */
export const OVERVIEW_DAYS = 30;

const DAY_SECONDS = 86_400;

/** `token`: issued, by grant type. `refusal`: by the reason that the log has too. */
export type CountedKind = "token" | "refusal";

/** What events of a kind are counted by. */
interface CountedNames {
  readonly token: string;
  readonly refusal: RefusalReason;
}

export interface Count {
  readonly instanceId: number;
  /** Days since 1970, in UTC. */
  readonly day: number;
  readonly kind: CountedKind;
  readonly name: string;
  readonly count: number;
}

/** A request that failed through no fault of its sender. */
export interface Failure {
  readonly at: number;
  readonly requestId: string;
  readonly path: string;
  readonly reason: RefusalReason;
}

export interface UsageStore {
  add(counts: readonly Count[]): Promise<void>;
  /** Counts from a day on. */
  counts(instanceId: number, sinceDay: number): Promise<Count[]>;
  /** Keeps a failure among the last ones. */
  keepFailure(instanceId: number, failure: Failure): Promise<void>;
  failures(instanceId: number): Promise<Failure[]>;
  /** Deletes counts from before a day, at most so many; how many. */
  sweep(beforeDay: number, rowsMax: number): Promise<number>;
}

/** How an instance is used. What is counted is counted about right: it is for looking at, and no decision rests on it. */
export class Usage {
  readonly #store: UsageStore;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Count>();
  #waitingSince = 0;

  constructor(store: UsageStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Counts one event; now and then it writes what has come together, behind the answer. */
  note<Kind extends CountedKind>(instanceId: number, kind: Kind, name: CountedNames[Kind], waitUntil: WaitUntil): void {
    const now = this.#clock();
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

  /** Keeps a failure for the overview, behind the answer. */
  noteFailure(instanceId: number, failure: Omit<Failure, "at">, waitUntil: WaitUntil): void {
    waitUntil(this.#store.keepFailure(instanceId, { ...failure, at: this.#clock() }).catch(notWritten));
  }

  /** The last days, oldest first, and why requests were refused in them, the most frequent reason first. */
  async overview(instanceId: number) {
    const today = Math.floor(this.#clock() / DAY_SECONDS);
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

  /** Forgets counts that no page shows any more; how many. */
  sweep(): Promise<number> {
    const firstKept = Math.floor(this.#clock() / DAY_SECONDS) - 2 * OVERVIEW_DAYS;
    return inBatches((rowsMax) => this.#store.sweep(firstKept, rowsMax));
  }
}

function sum(counts: readonly Count[], wanted: CountedKind): number {
  return counts.filter(({ kind }) => kind === wanted).reduce((total, { count }) => total + count, 0);
}

function notWritten(error: unknown): void {
  log({ level: "warn", event: "usage_not_written", detail: describeError(error) });
}
