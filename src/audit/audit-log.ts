import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { AuditTrail, RecordedEntry, Seal } from "./audit.ts";
import type { AuditChain } from "./audit-chain.ts";
import { type AuditStore, ENTRIES_PER_READ, entriesAfter } from "./audit-store.ts";

/** Entries that one export holds. Each read looks up names too, and D1 allows 1,000 statements an invocation. */
export const ENTRIES_PER_EXPORT = 100_000;

/** What is left after so many waits for the next act or the trigger. */
const READS_PER_SEALING = 10;

/** Instances that one run of the trigger seals; the others wait for the next. */
const INSTANCES_PER_RUN = 100;

const DAY_SECONDS = 86_400;

/** The audit: acts append to it, and each entry is sealed a moment later. */
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
    for await (const entry of entriesAfter(this.#store, instanceId, after)) {
      if (written === ENTRIES_PER_EXPORT) return;
      written += 1;
      yield `${JSON.stringify(shown(entry))}\n`;
    }
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
    if (!seal && event === AUDIT_TRIMMED) throw new Error(`entry ${sequence} records a cut that no retention made`);
  }
}

/** The record of a cut, which retention alone makes. */
export const AUDIT_TRIMMED = "audit_trimmed";

const SEALED_LATE = "audit_sealed_late";

/** The log is kept elsewhere: the end of the chain cannot be cut off there too. */
export function logSealed({ instanceId, sequence, event }: Omit<RecordedEntry, "seal">, { hash }: Seal): void {
  log({ level: "info", event: "audited", instanceId, sequence, hash, audited: event });
}

function toLine({ sequence, at, actor, event, detail, seal }: RecordedEntry) {
  const { previousHash = null, hash = null } = seal ?? {};
  return { sequence, at: new Date(at * 1000).toISOString(), actor, event, detail, previousHash, hash };
}
