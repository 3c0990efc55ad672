import { setState, stateOf } from "#documents/state.ts";
import type { Store } from "#documents/store.ts";

/** Where there are fewer documents, a look-up takes little time anyway. */
const DOCUMENTS_MIN = 10_000;

/** Merged again when so large a part of the documents was written since. */
const WRITTEN_SHARE = 0.25;

/** Pages of four kilobytes that one step writes, about. */
const PAGES_A_STEP = 64;

const INDEXES = ["levels", "places"] as const;

/**
 * Merges each index to one piece. Writing leaves some fifteen, and every look-up of a word asks all of them, which takes twice as
 * long. What is written meanwhile makes pieces of its own.
 *
 * @returns whether nothing is left to do
 */
export function mergeIndexes(store: Store, documentsMin = DOCUMENTS_MIN): boolean {
  const written = stateOf(store, "cells");
  const stage = stateOf(store, "merging");
  if (stage === 0) {
    const documents = stateOf(store, "documents");
    if (documents < documentsMin || written - stateOf(store, "merged") < documents * WRITTEN_SHARE) return true;
    setState(store, "merged", written);
  }
  // Two stages an index: the first step tells FTS5 to merge all pieces, and the others go on until nothing changes any more.
  const index = INDEXES[stage >> 1] ?? INDEXES[0];
  const isFirst = stage % 2 === 0;
  const before = changesOf(store);
  store.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?1)`, isFirst ? -PAGES_A_STEP : PAGES_A_STEP);
  const isDone = !isFirst && changesOf(store) - before < CHANGES_OF_WORK;
  if (isFirst || isDone) setState(store, "merging", (stage + 1) % (INDEXES.length * 2));
  return false;
}

/** The statement itself counts as one. */
const CHANGES_OF_WORK = 2;

function changesOf(store: Store): number {
  return store.exec<{ count: number }>("SELECT total_changes() AS count")[0]?.count ?? 0;
}
