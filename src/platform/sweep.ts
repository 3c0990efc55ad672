/** Rows that one statement of a sweep deletes: the database answers others in between. */
export const ROWS_PER_BATCH = 2000;

/** Batches of one run: a sweep always ends, and what is left goes in the next run. */
const BATCHES_PER_RUN = 50;

/**
 * Deletes in batches what has expired.
 *
 * @param deleteSome deletes at most so many rows; how many it did
 * @returns how many rows were deleted in all
 */
export async function inBatches(deleteSome: (rowsMax: number) => Promise<number>): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < BATCHES_PER_RUN; batch += 1) {
    const some = await deleteSome(ROWS_PER_BATCH);
    deleted += some;
    if (some < ROWS_PER_BATCH) break;
  }
  return deleted;
}
