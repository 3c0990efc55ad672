/** Maximum rows that one statement of a sweep deletes, so that the database can serve other statements in between. */
export const ROWS_PER_BATCH = 2000;

/** Maximum batches of one run, so that a sweep always ends. The next run deletes the rest. */
const BATCHES_PER_RUN = 50;

/**
 * Deletes expired rows in batches.
 *
 * @param deleteSome deletes at most `rowsMax` rows, and returns how many it deleted
 * @returns how many rows were deleted in total
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
