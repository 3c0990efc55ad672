import type { D1Audit } from "./audit.d1.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import { epochSeconds, isoTime } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { ProvenEntry, RecordedEntry, Seal } from "./audit.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { isProven, isRecorded, sealAfter } from "./audit-chain.ts";
import { KEPT_SECONDS_LEAST } from "./kept-seconds.ts";

/** Maximum entries of one export. Each read also looks up names, and D1 allows 1,000 statements an invocation. */
export const ENTRIES_PER_EXPORT = 100_000;

/** Maximum reads of one sealing. The next act or the trigger seals the rest. */
const READS_PER_SEALING = 10;

/** Maximum instances that one run of the trigger seals. The next run seals the others. */
const INSTANCES_PER_RUN = 100;

const DAY_SECONDS = 86_400;

/** The audit: acts append entries, and each entry is sealed a moment later. */
export class AuditLog {
  readonly #store: D1Audit;
  readonly #keyring: Keyring;

  constructor(store: D1Audit, keyring: Keyring) {
    this.#store = store;
    this.#keyring = keyring;
  }

  /**
   * Seals the entries that have no seal yet. The act is already done and recorded, so a failure here doesn't fail the act: it is
   * logged, and the next act or the trigger seals the entries.
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

  /** Seals entries that were left without a seal. @returns in how many instances */
  async sealAll(): Promise<number> {
    const instances = await this.#store.instancesWithUnsealed(INSTANCES_PER_RUN);
    for (const instanceId of instances) await this.seal(instanceId);
    return instances.length;
  }

  /** Lists entries; `AUDIT_LIST` has the filters. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<RecordedEntry>> {
    return this.#store.list(instanceId, query);
  }

  /** Reads everything that matches a query, newest first, page by page; at most {@link ENTRIES_PER_EXPORT} entries. */
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
   * Exports the entries after a sequence number as JSON lines, oldest first, read page by page; at most {@link ENTRIES_PER_EXPORT}
   * of them.
   *
   * @param shown returns the members of an entry's line
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

  /** Seals entries of one page. @returns {@link ENTRIES_PER_READ} if there may be more, otherwise less */
  async #sealSome(instanceId: number): Promise<number> {
    const entries = await this.#store.unsealed(instanceId, ENTRIES_PER_READ);
    const sealed: (RecordedEntry & { readonly seal: Seal })[] = [];
    let previous: Seal | null = null;
    for (const entry of entries) {
      if (!entry.seal && !previous && entry.sequence > 1)
        throw new Error(`entry ${entry.sequence} follows no sealed one`);
      await this.#requireSealable(entry);
      const seal: Seal = entry.seal ?? (await sealAfter(this.#keyring, previous, entry));
      if (!entry.seal) sealed.push({ ...entry, seal });
      previous = seal;
    }
    const [first] = sealed;
    if (!first) return 0;
    const late = sealed.filter(({ at, event }) => at < epochSeconds() - DAY_SECONDS && event !== SEALED_LATE);
    const hashes = [first.seal.previousHash, ...sealed.map(({ seal }) => seal.hash)];
    await this.#store.seal(instanceId, first.sequence, hashes);
    for (const { seal, ...entry } of sealed) logSealed(entry, seal);
    // Somebody who has only the database could remove seals, change entries and wait for new seals. Record that it may have happened.
    if (late[0]) {
      const detail = { from: late[0].sequence, through: late.at(-1)?.sequence ?? 0 };
      await this.#store.append({ instanceId, at: epochSeconds(), actor: "retention", event: SEALED_LATE, detail });
    }
    return late[0] ? ENTRIES_PER_READ : entries.length;
  }

  /**
   * Refuses to seal after a forged entry. A MAC proves everything before it, so a new seal must not follow one that somebody who
   * has only the database made: it would make their entries ours. It must not seal an entry that no act recorded either.
   */
  async #requireSealable(entry: ProvenEntry): Promise<void> {
    const { sequence, at, seal } = entry;
    if (seal && !(await isProven(this.#keyring, seal)))
      throw new Error(`entry ${sequence} is sealed by none of the configured master keys`);
    if (seal) return;
    if (!(await isRecorded(this.#keyring, entry))) throw new Error(`entry ${sequence} was not recorded by an act`);
    // The original of a copy may have been removed by then.
    if (at < epochSeconds() - KEPT_SECONDS_LEAST) throw new Error(`entry ${sequence} is too old to be sealed`);
  }
}

const SEALED_LATE = "audit_sealed_late";

/**
 * Logs a sealed entry. The log is kept elsewhere, so somebody who cuts off the end of the chain can't cut it off there too.
 */
export function logSealed({ instanceId, sequence, event }: Omit<RecordedEntry, "seal">, { hash }: Seal): void {
  log({ level: "info", event: "audited", instanceId, sequence, hash, audited: event });
}

function toLine({ sequence, at, actor, event, detail, seal }: RecordedEntry) {
  const { previousHash = null, hash = null } = seal ?? {};
  return { sequence, at: isoTime(at), actor, event, detail, previousHash, hash };
}

/** Maximum entries that one statement seals, and that are read at once for pages, exports and checks. */
export const ENTRIES_PER_READ = 500;

/** Reads all entries after a sequence number, oldest first, page by page. */
export async function* entriesAfter(
  store: Pick<D1Audit, "after">,
  instanceId: number,
  after: number,
): AsyncGenerator<RecordedEntry> {
  for (let last = after; ; ) {
    const entries = await store.after(instanceId, last, ENTRIES_PER_READ);
    yield* entries;
    if (entries.length < ENTRIES_PER_READ) return;
    last = entries.at(-1)?.sequence ?? last;
  }
}
