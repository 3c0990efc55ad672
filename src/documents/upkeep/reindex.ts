import { INDEX_VERSION } from "#documents/index-rules.ts";
import { setState, stateOf, type Store } from "#documents/store.ts";
import { STEP_WORK, WORK } from "#documents/work.ts";
import { reindexDocument } from "#documents/write/documents.ts";
import { writeInStep } from "#documents/write/write-step.ts";

/**
 * Indexes some documents again if they were indexed by older rules. Until then, searches find them by the words of that time.
 *
 * @returns whether nothing is left to do
 */
export function reindexOld(store: Store): boolean {
  if (stateOf(store, "index version") === INDEX_VERSION) return true;
  const last = writeInStep(store, (step) => {
    let after = stateOf(store, "reindexed");
    for (let work = 0; work < STEP_WORK / 2; ) {
      const [row] = store.exec<{ id: number; bytes: number }>(
        "SELECT id, octet_length(body) AS bytes FROM documents WHERE id > ?1 ORDER BY id LIMIT 1",
        after,
      );
      if (!row) return null;
      work += WORK.lookedUp + WORK.document + row.bytes * WORK.storedByte + reindexDocument(store, row.id, step);
      after = row.id;
    }
    return after;
  });
  if (last === null) setState(store, "index version", INDEX_VERSION);
  setState(store, "reindexed", last ?? 0);
  return false;
}
