import type { Clock } from "#platform/clock.ts";
import type { AuditEntry, AuditTrail, RecordedEntry } from "./audit.ts";
import { type AuditChain, hashOf } from "./audit-chain.ts";
import { AUDIT_TRIMMED, logSealed } from "./audit-log.ts";
import type { AuditStore } from "./audit-store.ts";

/** Of all instances together: a cut is some eight statements. An instance that appends more than a run removes would grow without end. */
const CUTS_PER_RUN = 25;

/** What one statement deletes: the database answers others in between. */
const ENTRIES_PER_CUT = 5000;

const DAY_SECONDS = 86_400;

/** Removes entries that are older than their instance keeps them; a record of each cut stays in the chain. */
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

  /** Trims the logs of instances that have waited longest for it, again where a cut was not enough; how many entries went. */
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
   * Removes what is older than an instance keeps; how many. The cut is on record before it is made. It waits until a day has
   * come together, or the record of cuts would soon be most of the log, and takes so much at once as one statement has time for.
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
