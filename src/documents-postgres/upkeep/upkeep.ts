import { ABANDONED_SECONDS, REMEMBERED_SECONDS } from "#documents/upkeep/upkeep.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { settleNext } from "#documents-postgres/metadata/settle.ts";
import { removeLeft } from "#documents-postgres/rights/removal.ts";
import { forgetSingleChanges } from "#documents-postgres/single-changes.ts";
import { removeNext } from "#documents-postgres/uploads/removal.ts";
import { unfinishedUpload } from "#documents-postgres/uploads/stored.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";
import { gatherNext } from "./holders.ts";
import { type Posting, postNext } from "./postings.ts";
import { removeUnheld } from "./unheld.ts";

/** How long the clean-up waits after a write, because more writes usually follow. */
export const UPKEEP_AFTER_SECONDS = 3600;

/** The most old uploads that one step deletes. */
const UPLOADS_A_STEP = 100;

/**
 * Does the next step of the clean-up, in the caller's transaction. A step takes much less time than others may have to wait.
 *
 * @param now epoch seconds
 * @param posting which words get postings
 * @returns when there is more to do, in epoch seconds; `null` if nothing is left
 */
export async function upkeepStep(writing: Writing, now: number, posting: Posting): Promise<number | null> {
  const { rows } = writing;
  if (await removeLeft(rows)) return now;
  const unfinished = await unfinishedUpload(rows);
  if (unfinished) {
    await removeNext(writing, unfinished, now);
    return now;
  }
  if (await giveUp(rows, now - ABANDONED_SECONDS)) return now;
  if (await forgetSingleChanges(rows)) return now;
  if (await forgetUploads(rows, now - REMEMBERED_SECONDS)) return now;
  // These come before what looks through all names: doing that in each of their steps would take longer than the step.
  if ((await postNext(writing, now, posting)) || (await gatherNext(writing, posting))) return now;
  if (!(await settleNext(writing))) return now;
  const removal = await removeUnheld(rows);
  if (removal === "more") return now;
  await removeDeletedGroups(rows);
  const [next] = await rows.all<{ due: number | null }>(
    `SELECT min(changed_at + CASE stage WHEN 'receiving' THEN ${ABANDONED_SECONDS} ELSE ${REMEMBERED_SECONDS} END) AS due
     FROM bulk_uploads WHERE instance_id = $1`,
  );
  // For what was written while earlier steps looked at other names.
  const again = removal === "written" ? now + UPKEEP_AFTER_SECONDS : null;
  return next?.due == null || again === null ? (next?.due ?? again) : Math.min(next.due, again);
}

/** Checks whether a write left work that can't wait for the next regular step. */
export async function isUpkeepUrgent(rows: Rows): Promise<boolean> {
  const found = await rows.all(
    `(SELECT 1 FROM datasource_groups WHERE instance_id = $1 AND state = 'leaving' LIMIT 1)
     UNION ALL (SELECT 1 FROM leaving_users WHERE instance_id = $1 LIMIT 1)
     UNION ALL (SELECT 1 FROM bulk_uploads WHERE instance_id = $1 AND stage = 'removing' LIMIT 1)`,
  );
  return found.length > 0;
}

/**
 * Gives up uploads whose last page never came. What their pages contained stays, and so does everything that they would have
 * removed.
 */
async function giveUp(rows: Rows, unmovedSince: number): Promise<boolean> {
  const given = await rows.all(
    `WITH given AS (UPDATE bulk_uploads SET stage = 'given up'
         WHERE instance_id = $1 AND stage = 'receiving' AND changed_at <= $2 RETURNING generation),
       pages AS (DELETE FROM upload_pages p USING given g WHERE p.instance_id = $1 AND p.generation = g.generation)
     SELECT 1 FROM given`,
    unmovedSince,
  );
  return given.length > 0;
}

async function forgetUploads(rows: Rows, endedBefore: number): Promise<boolean> {
  const gone = await rows.all(
    `WITH gone AS (DELETE FROM bulk_uploads WHERE instance_id = $1 AND generation IN (
         SELECT generation FROM bulk_uploads WHERE instance_id = $1 AND stage IN ('done', 'given up') AND changed_at <= $2
         LIMIT ${UPLOADS_A_STEP}) RETURNING generation),
       pages AS (DELETE FROM upload_pages p USING gone g WHERE p.instance_id = $1 AND p.generation = g.generation)
     SELECT 1 FROM gone`,
    endedBefore,
  );
  return gone.length > 0;
}

/**
 * Removes the rows of deleted groups that no document and no membership names any more. The name is then the directory's again.
 */
async function removeDeletedGroups(rows: Rows): Promise<void> {
  await rows.all(
    `WITH gone AS (DELETE FROM datasource_groups d WHERE d.instance_id = $1 AND d.state = 'deleted'
         AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.instance_id = $1 AND i.importing_at > 0)
         AND NOT EXISTS (SELECT 1 FROM principals p WHERE p.instance_id = $1 AND p.kind = 'group' AND md5(p.name) = md5(d.name)
           AND p.name = d.name AND p.datasource = d.datasource)
         AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.instance_id = $1 AND m.member_kind = 'group' AND m.member = d.name
           AND m.datasource = d.datasource)
         RETURNING d.datasource),
       counted AS (SELECT datasource, count(*) AS groups FROM gone GROUP BY datasource)
     UPDATE datasources s SET groups = s.groups - c.groups FROM counted c WHERE s.instance_id = $1 AND s.name = c.datasource`,
  );
}
