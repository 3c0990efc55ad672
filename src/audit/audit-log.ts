import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { AuditEntry, AuditTrail, RecordedEntry, Seal } from "./audit.ts";
import { type AuditChain, type Break, hashOf } from "./audit-chain.ts";

/** Entries that are sealed by one statement, and read at once for pages, exports and checks. */
const ENTRIES_PER_READ = 500;

/** Entries that one call verifies: some tens of milliseconds of hashing. */
export const ENTRIES_PER_CHECK = 2000;

/** Entries that one export holds. Each read looks up names too, and D1 allows 1,000 statements an invocation. */
export const ENTRIES_PER_EXPORT = 100_000;

/** What is left after so many waits for the next act or the trigger. */
const READS_PER_SEALING = 10;

/** Instances that one run of the trigger seals; the others wait for the next. */
const INSTANCES_PER_RUN = 100;

/** Instances whose log one run cuts: a cut is some eight statements. */
const CUTS_PER_RUN = 25;

/** More than this an hour are not appended by people. */
const ENTRIES_PER_TRIM = 5000;

const DAY_SECONDS = 86_400;

/** Which entries are asked for; an absent member asks for all. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  /** An event, or how one begins. */
  readonly event?: string | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

export interface AuditStore {
  /** The first entries without a seal, oldest first, behind the sealed one that they follow where there is one. */
  unsealed(instanceId: number, limit: number): Promise<RecordedEntry[]>;
  /**
   * Seals entries that have no seal yet.
   *
   * @param first the place of the first of them
   * @param hashes the one that the first follows, then each entry's
   */
  seal(instanceId: number, first: number, hashes: readonly string[]): Promise<void>;
  /** Records what the audit itself found. */
  append(entry: AuditEntry): Promise<void>;
  /** Instances with entries that are not sealed. */
  instancesWithUnsealed(limit: number): Promise<number[]>;
  /** Instances whose first entry was older at a moment than they keep entries, the oldest first. */
  overdue(
    at: number,
    keptSecondsByDefault: number,
    limit: number,
  ): Promise<{ instanceId: number; keptSeconds: number }[]>;
  /** The last entry; `null` before the first. */
  head(instanceId: number): Promise<RecordedEntry | null>;
  /** Entries before a place, newest first. */
  before(instanceId: number, sequence: number, filter: AuditFilter, limit: number): Promise<RecordedEntry[]>;
  /** Part of the audit, as `AUDIT_LIST` says. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<RecordedEntry>>;
  /** Entries after a place, oldest first. */
  after(instanceId: number, sequence: number, limit: number): Promise<RecordedEntry[]>;
  /** Whether a retention is on record that removed what was before an entry: up to a place, whose hash the entry follows. */
  isCut(instanceId: number, through: number, hash: string): Promise<boolean>;
  /** The place of the last entry of before a moment; 0 when there is none. */
  lastBefore(instanceId: number, at: number): Promise<number>;
  /**
   * Removes entries up to a place, and records that.
   *
   * @returns `false` when another entry took the place of the record; nothing is removed then
   */
  cut(cut: RecordedEntry & { readonly seal: Seal }, through: number): Promise<boolean>;
}

/** What a walk along the chain found. */
export interface ChainReport {
  readonly entries: number;
  /** How many of them are so new that they have no seal yet: a change of one of these would not show. */
  readonly unsealed: number;
  /** Where the chain does not hold, in words, and the place; absent when it does. */
  readonly broken?: string;
  readonly brokenAt?: number;
}

/** What a walk along a part of the chain found. */
export interface PartReport extends ChainReport {
  /** The place of the last entry that it read, where the next part goes on; `null` at the end of the chain, or where it is broken. */
  readonly next: number | null;
}

/** What a chain, or a part of it, that holds is, in words. */
export function describeReport({ entries, unsealed }: ChainReport, which: "All" | "These" = "All"): string {
  const sealed = `${entries - unsealed} entries follow each other, and none was changed`;
  return unsealed === 0 ? `${which} ${sealed}` : `${sealed}; the newest ${unsealed} are not sealed yet`;
}

/** The audit: appended to, read, and trimmed by its retention; no entry is ever changed. */
export class AuditLog implements AuditTrail {
  readonly #store: AuditStore;
  readonly #chain: AuditChain;
  readonly #clock: Clock;

  constructor(store: AuditStore, chain: AuditChain, clock: Clock) {
    this.#store = store;
    this.#chain = chain;
    this.#clock = clock;
  }

  /**
   * Seals what was recorded since. An act is done and on record by now, so a failure here is no failure of the act: it is
   * logged, and the next act or the trigger seals.
   */
  async seal(instanceId: number): Promise<void> {
    try {
      for (let read = 1; read <= READS_PER_SEALING; read += 1) {
        if ((await this.#sealSome(instanceId)) < ENTRIES_PER_READ) return;
      }
    } catch (error) {
      log({ level: "error", event: "audit_not_sealed", instanceId, detail: describeError(error) });
    }
  }

  /** Seals what others left without; of how many instances. */
  async sealAll(): Promise<number> {
    const instances = await this.#store.instancesWithUnsealed(INSTANCES_PER_RUN);
    for (const instanceId of instances) await this.seal(instanceId);
    return instances.length;
  }

  /** Trims the logs of instances that have waited longest for it; how many entries went. */
  async trimOverdue(keptSecondsByDefault: number): Promise<number> {
    let removed = 0;
    const overdue = await this.#store.overdue(this.#clock() - DAY_SECONDS, keptSecondsByDefault, CUTS_PER_RUN);
    for (const { instanceId, keptSeconds } of overdue) removed += await this.trim(instanceId, keptSeconds);
    return removed;
  }

  /** A page of entries, newest first. @param before the place to go on from */
  read(instanceId: number, filter: AuditFilter, before: number, limit: number): Promise<RecordedEntry[]> {
    return this.#store.before(instanceId, before, filter, limit);
  }

  /** Part of the audit, as `AUDIT_LIST` says. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<RecordedEntry>> {
    return this.#store.list(instanceId, query);
  }

  /** All that a query asks for, newest first, read piece by piece; at most {@link ENTRIES_PER_EXPORT} of them. */
  async *matching(instanceId: number, query: ListQuery): AsyncGenerator<readonly RecordedEntry[]> {
    for (let { after } = query, read = 0; read < ENTRIES_PER_EXPORT; read += ENTRIES_PER_READ) {
      const page = { ...query, after, limit: ENTRIES_PER_READ, isCounted: false } as const;
      const { items, nextCursor } = await this.#store.list(instanceId, page);
      yield items;
      const last = items.at(-1);
      if (nextCursor === null || !last) return;
      after = [last.sequence, String(last.sequence)];
    }
  }

  /**
   * Entries after a place as JSON lines, oldest first, read piece by piece; at most {@link ENTRIES_PER_EXPORT} of them.
   *
   * @param shown what a line says of an entry
   */
  async *export(
    instanceId: number,
    after = 0,
    shown: (entry: RecordedEntry) => Readonly<Record<string, unknown>> = toLine,
  ): AsyncGenerator<string> {
    let written = 0;
    for await (const entry of this.#all(instanceId, after)) {
      if (written === ENTRIES_PER_EXPORT) return;
      written += 1;
      yield `${JSON.stringify(shown(entry))}\n`;
    }
  }

  /** Walks the whole chain, part by part. */
  async verify(instanceId: number): Promise<ChainReport> {
    let entries = 0;
    let unsealed = 0;
    for (let after: number | null = 0; after !== null; ) {
      const part: PartReport = await this.verifyPart(instanceId, after);
      entries += part.entries;
      unsealed += part.unsealed;
      if (part.broken !== undefined) return { ...part, entries, unsealed };
      after = part.next;
    }
    return { entries, unsealed };
  }

  /**
   * Walks {@link ENTRIES_PER_CHECK} entries of the chain, up to its first broken link. The chain begins with the first entry, or
   * where a retention that is itself on record says that it cut, which may be between two parts.
   *
   * @param after the place to go on from: the `next` of the part before; 0 begins
   */
  async verifyPart(instanceId: number, after: number): Promise<PartReport> {
    let previous: RecordedEntry | undefined;
    let entries = 0;
    let unsealed = 0;
    const sealed: { readonly sequence: number; readonly seal: Seal }[] = [];
    const report = (at?: Break): PartReport => ({
      entries,
      unsealed,
      next: null,
      ...(at && { broken: at.broken, brokenAt: at.sequence }),
    });
    for await (const entry of this.#all(instanceId, after === 0 ? Number.MIN_SAFE_INTEGER : after - 1)) {
      const { sequence, seal } = entry;
      if (sequence < 1) return report({ sequence, broken: `entry ${sequence} stands before the first, which is 1` });
      if (!previous && sequence > 1 && sequence !== after && !(await this.#followsCut(entry))) {
        const broken = `the entries before ${sequence} are missing, and no retention removed them`;
        return report({ sequence: sequence - 1, broken });
      }
      const broken = await this.#chain.breakBetween(previous, entry);
      if (broken !== undefined) return report(broken);
      previous = entry;
      if (seal) sealed.push({ sequence, seal });
      if (sequence === after) continue;
      entries += 1;
      if (!seal) unsealed += 1;
      if (entries === ENTRIES_PER_CHECK) return { entries, unsealed, next: sequence };
    }
    // One MAC proves everything before it: in an intact chain, the last one is enough.
    let unproven: Break | undefined;
    for (const { sequence, seal } of sealed.toReversed()) {
      if (await this.#chain.isProven(seal)) break;
      unproven = { sequence, broken: `entry ${sequence} is sealed by none of the configured master keys` };
    }
    return report(unproven);
  }

  /**
   * Removes what is older than an instance keeps; how many. The cut is on record before it is made. It waits until a day has
   * come together, or the record of cuts would soon be most of the log, and takes so much at once as a trigger has time for.
   */
  async trim(instanceId: number, keptSeconds: number): Promise<number> {
    const keptFrom = this.#clock() - keptSeconds;
    const [first] = await this.#store.after(instanceId, 0, 1);
    if (!first || first.at > keptFrom - DAY_SECONDS) return 0;
    const old = await this.#store.lastBefore(instanceId, keptFrom);
    const through = Math.min(old, first.sequence + ENTRIES_PER_TRIM - 1);
    await this.seal(instanceId);
    const [last] = await this.#store.after(instanceId, through - 1, 1);
    const head = await this.#store.head(instanceId);
    if (last?.sequence !== through || !last.seal || !head?.seal || !(await this.#chain.isProven(head.seal))) return 0;
    const cut = {
      instanceId,
      sequence: head.sequence + 1,
      at: this.#clock(),
      actor: "retention",
      event: TRIMMED,
      detail: { through, hash: hashOf(last.seal), before: new Date((last.at + 1) * 1000).toISOString() },
    } satisfies AuditEntry<"audit_trimmed"> & Omit<RecordedEntry, "seal">;
    const seal = await this.#chain.sealAfter(head.seal, cut);
    if (!(await this.#store.cut({ ...cut, seal }, through))) return 0;
    logSealed(cut, seal);
    return through - first.sequence + 1;
  }

  /** @returns how many entries it read */
  async #sealSome(instanceId: number): Promise<number> {
    const entries = await this.#store.unsealed(instanceId, ENTRIES_PER_READ);
    const sealed: (RecordedEntry & { readonly seal: Seal })[] = [];
    let previous: Seal | null = null;
    for (const entry of entries) {
      if (!entry.seal && !previous && entry.sequence > 1)
        throw new Error(`entry ${entry.sequence} follows no sealed one`);
      await this.#requireSealable(entry);
      const seal: Seal = entry.seal ?? (await this.#chain.sealAfter(previous, entry));
      if (!entry.seal) sealed.push({ ...entry, seal });
      previous = seal;
    }
    const [first] = sealed;
    if (!first) return 0;
    const late = sealed.filter(({ at, event }) => at < this.#clock() - DAY_SECONDS && event !== SEALED_LATE);
    const hashes = [first.seal.previousHash, ...sealed.map(({ seal }) => seal.hash)];
    await this.#store.seal(instanceId, first.sequence, hashes);
    for (const { seal, ...entry } of sealed) logSealed(entry, seal);
    // Somebody with the database alone could remove seals, change entries and wait for new seals: keep that on record.
    if (late[0]) {
      const detail = { from: late[0].sequence, through: late.at(-1)?.sequence ?? 0 };
      await this.#store.append({ instanceId, at: this.#clock(), actor: "retention", event: SEALED_LATE, detail });
    }
    return late[0] ? ENTRIES_PER_READ : entries.length;
  }

  /**
   * A MAC proves everything before it, so a new seal must not follow one that somebody with the database alone made: it would make
   * their entries ours. Nor may it seal the record of a cut, which retention writes with its seal.
   */
  async #requireSealable({ sequence, event, seal }: RecordedEntry): Promise<void> {
    if (seal && !(await this.#chain.isProven(seal)))
      throw new Error(`entry ${sequence} is sealed by none of the configured master keys`);
    if (!seal && event === TRIMMED) throw new Error(`entry ${sequence} records a cut that no retention made`);
  }

  async #followsCut({ instanceId, sequence, seal }: RecordedEntry): Promise<boolean> {
    return seal !== null && this.#store.isCut(instanceId, sequence - 1, seal.previousHash);
  }

  async *#all(instanceId: number, after = 0): AsyncGenerator<RecordedEntry> {
    for (let last = after; ; ) {
      const entries = await this.#store.after(instanceId, last, ENTRIES_PER_READ);
      yield* entries;
      if (entries.length < ENTRIES_PER_READ) return;
      last = entries.at(-1)?.sequence ?? last;
    }
  }
}

const TRIMMED = "audit_trimmed";
const SEALED_LATE = "audit_sealed_late";

/** The log is kept elsewhere: the end of the chain cannot be cut off there too. */
function logSealed({ instanceId, sequence, event }: Omit<RecordedEntry, "seal">, { hash }: Seal): void {
  log({ level: "info", event: "audited", instanceId, sequence, hash, audited: event });
}

function toLine({ sequence, at, actor, event, detail, seal }: RecordedEntry) {
  const { previousHash = null, hash = null } = seal ?? {};
  return { sequence, at: new Date(at * 1000).toISOString(), actor, event, detail, previousHash, hash };
}
