import type { Clock } from "#platform/clock.ts";
import type { AuditEntry, AuditTrail, RecordedEntry } from "./audit.ts";
import { type AuditChain, hashOf } from "./audit-chain.ts";
import { AUDIT_TRIMMED, logSealed } from "./audit-log.ts";
import type { AuditStore } from "./audit-store.ts";

/**
 * Maximum cuts of one run, for all instances together: a cut is about eight statements. An instance that appends more than a run
 * removes would grow without end.
 */
const CUTS_PER_RUN = 25;

/** Maximum entries that one statement deletes, so that the database can serve other statements in between. */
const ENTRIES_PER_CUT = 5000;

const DAY_SECONDS = 86_400;

/** Removes entries that are older than their instance keeps them. Each removal is recorded in the chain. */
export class AuditRetention {
  readonly #store: AuditStore;
  readonly #chain: AuditChain;
  readonly #trail: AuditTrail;
  readonly #clock: Clock;

  constructor(store: AuditStore, chain: AuditChain, trail: AuditTrail, clock: Clock) {
    this.#store = store;
    this.#chain = chain;
    this.#trail = trail;
    this.#clock = clock;
  }

  /**
   * Trims the logs that have been overdue the longest, several times if one cut is not enough.
   *
   * @returns how many entries it removed
   */
  async trimOverdue(keptSecondsByDefault: number): Promise<number> {
    let removed = 0;
    for (let cuts = CUTS_PER_RUN, isCutting = true; cuts > 0 && isCutting; ) {
      const before = removed;
      const overdue = await this.#store.overdue(this.#clock() - DAY_SECONDS, keptSecondsByDefault, cuts);
      for (const { instanceId, keptSeconds } of overdue) removed += await this.trim(instanceId, keptSeconds);
      cuts -= overdue.length;
      isCutting = removed > before;
    }
    return removed;
  }

  /**
   * Removes the entries that are older than an instance keeps them. The removal is recorded in the same batch. It waits until a day's
   * entries are due, or else these records would soon be most of the log, and it removes at most what one statement has time for.
   *
   * @returns how many entries it removed
   */
  async trim(instanceId: number, keptSeconds: number): Promise<number> {
    const keptFrom = this.#clock() - keptSeconds;
    const [first] = await this.#store.after(instanceId, 0, 1);
    if (!first || first.at > keptFrom - DAY_SECONDS) return 0;
    const old = await this.#store.lastBefore(instanceId, keptFrom);
    const through = Math.min(old, first.sequence + ENTRIES_PER_CUT - 1);
    await this.#trail.seal(instanceId);
    const [last] = await this.#store.after(instanceId, through - 1, 1);
    const head = await this.#store.head(instanceId);
    if (last?.sequence !== through || !last.seal || !head?.seal || !(await this.#chain.isProven(head.seal))) return 0;
    const cut = {
      instanceId,
      sequence: head.sequence + 1,
      at: this.#clock(),
      actor: "retention",
      event: AUDIT_TRIMMED,
      detail: { through, hash: hashOf(last.seal), before: new Date((last.at + 1) * 1000).toISOString() },
    } satisfies AuditEntry<"audit_trimmed"> & Omit<RecordedEntry, "seal">;
    const seal = await this.#chain.sealAfter(head.seal, cut);
    if (!(await this.#store.cut({ ...cut, seal }, through))) return 0;
    logSealed(cut, seal);
    return through - first.sequence + 1;
  }
}
