import type { D1Audit } from "./audit.d1.ts";
import type { RecordedEntry } from "./audit.ts";

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
