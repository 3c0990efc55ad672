import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { AuditEntry, RecordedEntry, Seal } from "./audit.ts";

/** Entries that are sealed by one statement, and read at once for pages, exports and checks. */
export const ENTRIES_PER_READ = 500;

/** Where entries are kept. No method changes one; a seal is written where there is none. */
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

/** All entries after a place, oldest first, read piece by piece. */
export async function* entriesAfter(
  store: Pick<AuditStore, "after">,
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
