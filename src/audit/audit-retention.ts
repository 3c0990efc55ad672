import type { D1Audit } from "./audit.d1.ts";
import { epochSeconds, isoTime } from "#platform/clock.ts";
import type { AuditEntry, RecordedEntry } from "./audit.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { breakBetween, hashOf, sealAfter } from "./audit-chain.ts";
import { type AuditLog, entriesAfter, logSealed } from "./audit-log.ts";
import { cutBefore, isSealed } from "./chain-verification.ts";
import { AUDIT_TRIMMED, KEPT_SECONDS_DEFAULT, KEPT_SECONDS_LEAST, keptBefore } from "./kept-seconds.ts";

/**
 * Maximum cuts of one run, for all instances together: a cut is about twenty statements. An instance that appends more than a run
 * removes would grow without end.
 */
const CUTS_PER_RUN = 25;

/** Maximum entries that one statement deletes, so that the database can serve other statements in between. */
const ENTRIES_PER_CUT = 5000;

const DAY_SECONDS = 86_400;

/** Removes entries that are older than their log keeps them. Each removal is recorded in the chain. */
export class AuditRetention {
  readonly #store: D1Audit;
  readonly #keyring: Keyring;
  readonly #trail: Pick<AuditLog, "seal">;

  constructor(store: D1Audit, keyring: Keyring, trail: Pick<AuditLog, "seal">) {
    this.#store = store;
    this.#keyring = keyring;
    this.#trail = trail;
  }

  /**
   * Trims the logs that have been overdue the longest, several times if one cut is not enough.
   *
   * @returns how many entries it removed
   */
  async trimOverdue(): Promise<number> {
    const kept = { byDefault: KEPT_SECONDS_DEFAULT, least: KEPT_SECONDS_LEAST };
    let removed = 0;
    for (let cuts = CUTS_PER_RUN, isCutting = true; cuts > 0 && isCutting; ) {
      const before = removed;
      const overdue = await this.#store.overdue(epochSeconds() - DAY_SECONDS, kept, cuts);
      for (const instanceId of overdue) removed += await this.trim(instanceId);
      cuts -= overdue.length;
      isCutting = removed > before;
    }
    return removed;
  }

  /**
   * Removes the entries that are older than the log keeps them. The removal is recorded in the same batch. It waits until a day's
   * entries are due, or else these records would soon be most of the log, and it removes at most what one statement has time for.
   *
   * What it removes can't be verified afterwards, so it verifies it before: entries that somebody changed or removed stay evident.
   *
   * @returns how many entries it removed
   */
  async trim(instanceId: number): Promise<number> {
    await this.#trail.seal(instanceId);
    const head = await this.#store.head(instanceId);
    if (!head?.seal || !(await this.#isSealed(head))) return 0;
    const { seconds: keptSeconds, decision } = await keptBefore(this.#store, instanceId, head.sequence + 1);
    const due = await this.#intactBefore(instanceId, epochSeconds() - keptSeconds);
    if (!due || (decision && !(await this.#isSealed(decision)))) return 0;
    const { first, last } = due;
    const cut = {
      instanceId,
      sequence: head.sequence + 1,
      at: epochSeconds(),
      actor: "retention",
      event: AUDIT_TRIMMED,
      detail: {
        through: last.sequence,
        hash: hashOf(last.seal),
        before: isoTime(last.at + 1),
        keptSeconds,
      },
    } satisfies AuditEntry<"audit_trimmed"> & Omit<RecordedEntry, "seal">;
    const seal = await sealAfter(this.#keyring, head.seal, cut);
    if (!(await this.#store.cut({ ...cut, seal }, last.sequence))) return 0;
    logSealed(cut, seal);
    return last.sequence - first.sequence + 1;
  }

  /** Returns the first and the last entry that are due; `undefined` if there are none, or if the chain is broken among them. */
  async #intactBefore(instanceId: number, keptFrom: number) {
    let first: RecordedEntry | undefined;
    let last: (RecordedEntry & { readonly seal: NonNullable<RecordedEntry["seal"]> }) | undefined;
    for await (const entry of entriesAfter(this.#store, instanceId, Number.MIN_SAFE_INTEGER)) {
      const { sequence, at, seal } = entry;
      const isWaiting = !first && at > keptFrom - DAY_SECONDS;
      if (isWaiting || at >= keptFrom || (first && sequence === first.sequence + ENTRIES_PER_CUT)) break;
      const isLinked = last !== undefined || sequence === 1;
      const cut = isLinked ? null : await cutBefore(this.#store, entry);
      if (!isLinked && !(cut && (await this.#isSealed(cut)))) return undefined;
      if (!seal || (await breakBetween(last, entry))) return undefined;
      first ??= entry;
      last = { ...entry, seal };
    }
    return first && last && { first, last };
  }

  #isSealed(entry: RecordedEntry): Promise<boolean> {
    return isSealed(this.#store, this.#keyring, entry);
  }
}
