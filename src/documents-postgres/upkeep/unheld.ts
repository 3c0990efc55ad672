import type { Rows } from "#documents-postgres/database.ts";

/** The most names of each kind that one step removes. */
const NAMES_A_STEP = 500;

/** The principals of classes that one step removes. The class that reaches this number is still removed whole. */
const PRINCIPALS_A_STEP = 10_000;

/**
 * Statements that remove names that no document has any more, in this order: a principal is removed after the classes and
 * intersections that contain it. Ids are never reused.
 */
const STATEMENTS = [
  `WITH unheld AS (SELECT id, sum(size) OVER (ORDER BY id) - size AS before FROM (
         SELECT id, cardinality(principals) AS size FROM classes WHERE instance_id = $1 AND documents = 0 LIMIT ${NAMES_A_STEP}) c),
     gone AS (DELETE FROM classes WHERE instance_id = $1 AND id IN (
       SELECT id FROM unheld WHERE before < ${PRINCIPALS_A_STEP}) RETURNING id, principals),
     parts AS (DELETE FROM class_principals c USING gone g
       WHERE c.instance_id = $1 AND c.class = g.id AND c.principal = ANY (g.principals))
   SELECT 1 FROM gone`,
  `WITH gone AS (DELETE FROM principals WHERE instance_id = $1 AND id IN (
       SELECT p.id FROM principals p WHERE p.instance_id = $1 AND p.kind = 'intersection' AND NOT EXISTS (
         SELECT 1 FROM class_principals c WHERE c.instance_id = $1 AND c.principal = p.id) LIMIT ${NAMES_A_STEP}) RETURNING id),
     parts AS (DELETE FROM intersection_groups i USING gone g WHERE i.instance_id = $1 AND i.intersection_id = g.id)
   SELECT 1 FROM gone`,
  `DELETE FROM principals WHERE instance_id = $1 AND id IN (
     SELECT p.id FROM principals p WHERE p.instance_id = $1 AND p.kind <> 'intersection'
       AND NOT EXISTS (SELECT 1 FROM class_principals c WHERE c.instance_id = $1 AND c.principal = p.id)
       AND NOT EXISTS (SELECT 1 FROM intersection_groups i WHERE i.instance_id = $1 AND i.group_id = p.id)
     LIMIT ${NAMES_A_STEP}) RETURNING 1`,
  `WITH gone AS (DELETE FROM words WHERE instance_id = $1 AND hash IN (
       SELECT hash FROM words WHERE instance_id = $1 AND documents <= 0 LIMIT ${NAMES_A_STEP}) RETURNING hash),
     parts AS (DELETE FROM stems s USING gone g WHERE s.instance_id = $1 AND s.hash = g.hash),
     lists AS (DELETE FROM postings p USING gone g WHERE p.instance_id = $1 AND p.hash = g.hash),
     holding AS (DELETE FROM holders h USING gone g WHERE h.instance_id = $1 AND h.hash = g.hash)
   SELECT 1 FROM gone`,
];

/** Removes some of the names that no document has any more. @returns whether there may be more */
export async function removeUnheld(rows: Rows): Promise<boolean> {
  let isMore = false;
  for (const statement of STATEMENTS) isMore = (await rows.all(statement)).length > 0 || isMore;
  return isMore;
}
