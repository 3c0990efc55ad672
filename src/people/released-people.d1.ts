import { D1Store } from "#platform/d1-store.ts";
import { changesOf, runBatch } from "#platform/d1.ts";

/** Tables that may still refer to a person. Their linked accounts are deleted with them. */
const REFERRING = ["grants", "service_tokens", "sessions"];

const UNREFERRED = REFERRING.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.person_id = people.id)`);

const GONE = `SELECT id FROM people WHERE released_email IS NOT NULL AND released_at < ?1
  AND ${UNREFERRED.join(" AND ")} ORDER BY id LIMIT ?2`;

export class D1ReleasedPeople extends D1Store {
  /**
   * Deletes people who were released before this time and are no longer referenced, up to a limit.
   *
   * @returns how many
   */
  async sweep(releasedBefore: number, rowsMax: number): Promise<number> {
    const results = await runBatch(this.database, [
      this.statement(`DELETE FROM linked_accounts WHERE person_id IN (${GONE})`, [releasedBefore, rowsMax]),
      this.statement(`DELETE FROM people WHERE id IN (${GONE})`, [releasedBefore, rowsMax]),
    ]);
    return changesOf(results, 1);
  }
}
