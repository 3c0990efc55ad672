import { setState, stateOf, type Store } from "#documents/store.ts";

/** With fewer documents, look-ups are fast enough anyway. */
const DOCUMENTS_MIN = 10_000;

/** Indexes are merged again when this share of the documents has been written since. */
const WRITTEN_SHARE = 0.25;

/** Roughly how many pages of four kilobytes one step writes. */
const PAGES_A_STEP = 64;

const INDEXES = ["impacts", "postings"] as const;

/**
 * Merges each index into one segment. Writing leaves some fifteen, and every look-up of a word reads all of them, which takes twice as
 * long. What is written during a merge makes new segments.
 *
 * @returns whether nothing is left to do
 */
export function mergeIndexes(store: Store, documentsMin = DOCUMENTS_MIN): boolean {
  const written = stateOf(store, "doc values");
  const stage = stateOf(store, "merging");
  if (stage === 0) {
    const documents = stateOf(store, "documents");
    if (documents < documentsMin || written - stateOf(store, "merged") < documents * WRITTEN_SHARE) return true;
    setState(store, "merged", written);
  }
  // Two stages per index: the first step tells FTS5 to merge all segments, and the others continue until nothing changes any more.
  const index = INDEXES[stage >> 1] ?? INDEXES[0];
  const isFirst = stage % 2 === 0;
  const before = changesOf(store);
  store.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?1)`, isFirst ? -PAGES_A_STEP : PAGES_A_STEP);
  const isDone = !isFirst && changesOf(store) - before < CHANGES_OF_WORK;
  if (isFirst || isDone) setState(store, "merging", (stage + 1) % (INDEXES.length * 2));
  return false;
}

/** The statement itself counts as one change, so a step that merged something has at least two. */
const CHANGES_OF_WORK = 2;

function changesOf(store: Store): number {
  return store.exec<{ count: number }>("SELECT total_changes() AS count")[0]?.count ?? 0;
}
