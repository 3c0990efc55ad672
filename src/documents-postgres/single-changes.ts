import { type Overruled, SINGLE_CHANGES_MAX } from "#documents/generations.ts";
import type { Rows } from "./database.ts";
import type { Writing } from "./write/writing.ts";

/** The most single changes that one step deletes. */
const FORGOTTEN_A_STEP = 1000;

/**
 * Records a removal, or new permissions, while an upload of the datasource is under way, so that no page of that upload undoes
 * it: the pipeline may have written a page before it made the change.
 *
 * @param name a document's or user's id, a group's name, or a membership as `membershipName` names it
 */
export async function noteSingleChange(
  { rows, generation }: Writing,
  datasource: string,
  overruled: Overruled,
  name: string,
): Promise<void> {
  const receiving = await rows.all(
    `UPDATE bulk_uploads SET single_changes = single_changes + 1,
       stage = CASE WHEN single_changes < ${SINGLE_CHANGES_MAX} THEN stage ELSE 'given up' END
     WHERE instance_id = $1 AND datasource = $2 AND stage = 'receiving' RETURNING 1`,
    datasource,
  );
  if (receiving.length === 0) return;
  await rows.all(
    `INSERT INTO single_changes (instance_id, datasource, overruled, name, generation) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (instance_id, datasource, overruled, name) DO UPDATE SET generation = excluded.generation`,
    datasource,
    overruled,
    name,
    generation,
  );
}

/**
 * Checks whether a single change is newer than an upload's page of this generation, so that the page must not undo it.
 */
export async function isOverruled(
  rows: Rows,
  datasource: string,
  overruled: Overruled,
  name: string,
  generation: number,
): Promise<boolean> {
  const found = await rows.all(
    `SELECT 1 FROM single_changes
     WHERE instance_id = $1 AND datasource = $2 AND overruled = $3 AND name = $4 AND generation > $5`,
    datasource,
    overruled,
    name,
    generation,
  );
  return found.length > 0;
}

/** Deletes some single changes that no page can undo any more. @returns whether there may be more */
export async function forgetSingleChanges(rows: Rows): Promise<boolean> {
  const gone = await rows.all(
    `DELETE FROM single_changes WHERE instance_id = $1 AND (datasource, overruled, name) IN (
       SELECT c.datasource, c.overruled, c.name FROM single_changes c WHERE c.instance_id = $1 AND NOT EXISTS (
         SELECT 1 FROM bulk_uploads u WHERE u.instance_id = $1 AND u.datasource = c.datasource AND u.stage = 'receiving')
       LIMIT ${FORGOTTEN_A_STEP})
     RETURNING 1`,
  );
  return gone.length === FORGOTTEN_A_STEP;
}
