import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { AuditEntry, ProvenEntry, RecordedEntry, Seal } from "./audit.ts";

/** Maximum entries that one statement seals, and that are read at once for pages, exports and checks. */
export const ENTRIES_PER_READ = 500;

/** How long entries are kept, in seconds. */
export interface Kept {
  /** If nobody decided about it. */
  readonly byDefault: number;
  readonly least: number;
}

/** The store of entries. No method changes an entry, but a seal is added to entries that have none. */
export interface AuditStore {
  /**
   * Returns the first entries without a seal, oldest first, after the sealed entry that they follow, if there is one.
   */
  unsealed(instanceId: number, limit: number): Promise<ProvenEntry[]>;
  /**
   * Seals entries that have no seal yet.
   *
   * @param first the sequence number of the first of them
   * @param hashes the hash that the first one follows, then each entry's own
   */
  seal(instanceId: number, first: number, hashes: readonly string[]): Promise<void>;
  /** Records something that the audit itself found. */
  append(entry: AuditEntry): Promise<void>;
  /** Records what an upload removes, or would remove, unless there is an entry with the same details. */
  appendOnce(entry: AuditEntry<"removal_held"> | AuditEntry<"removal_unchecked">): Promise<void>;
  /** Returns instances with entries that are not sealed. */
  instancesWithUnsealed(limit: number): Promise<number[]>;
  /** Returns instances that, at a given time, had an entry older than their log says that it keeps them, the oldest first. */
  overdue(at: number, kept: Kept, limit: number): Promise<number[]>;
  /**
   * Returns the last entry before a sequence number that decides how long entries are kept: a change of the setting, or the record
   * of a removal, which repeats what applied. `null` if there is none.
   */
  retentionBefore(instanceId: number, sequence: number): Promise<RecordedEntry | null>;
  /** Returns the last entry; `null` before the first. */
  head(instanceId: number): Promise<RecordedEntry | null>;
  /** Lists entries; `AUDIT_LIST` has the filters. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<RecordedEntry>>;
  /** Returns the entries after a sequence number, oldest first. */
  after(instanceId: number, sequence: number, limit: number): Promise<RecordedEntry[]>;
  /** Returns the record of retention that it removed the entries up to `through`, the last of which had `hash`. */
  cutAt(instanceId: number, through: number, hash: string): Promise<RecordedEntry | null>;
  /**
   * Removes the entries up to a sequence number, and records that.
   *
   * @returns `false` if another entry has the record's sequence number already; nothing is removed then
   */
  cut(cut: RecordedEntry & { readonly seal: Seal }, through: number): Promise<boolean>;
}

/** Reads all entries after a sequence number, oldest first, page by page. */
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
