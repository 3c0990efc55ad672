import type { Rows } from "#documents-postgres/database.ts";

/** The most names that one step looks at, and the most of each sort that it removes. */
const LOOKED_MAX = 20_000;
const REMOVED_MAX = 500;

/** The principals of classes that one step removes. The class that reaches this number is still removed whole. */
const PRINCIPALS_A_STEP = 10_000;

/** Less than every id and hash. */
const FIRST = -(2 ** 31) - 1;

/** A sort of names: how to tell that no document has a name any more, and what is removed with the names that are `gone`. */
interface Sort {
  readonly table: string;
  readonly key: string;
  /**
   * The condition for a name `n`. Its subqueries have a limit, so an index is read for each name; otherwise, whole tables would be read
   * and joined.
   */
  readonly isUnheld: string;
  /** How many principals the name `l.name` contains; absent: none. */
  readonly principals?: string;
  readonly parts: string;
}

const IS_IN_NO_CLASS = `(SELECT true FROM class_principals c WHERE c.instance_id = $1 AND c.principal = n.id LIMIT 1) IS NULL`;

/** In this order: a principal is removed after the classes and intersections that contain it. Ids are never reused. */
const SORTS: readonly Sort[] = [
  {
    table: "classes",
    key: "id",
    isUnheld: "n.documents = 0",
    principals: "(SELECT cardinality(c.principals) FROM classes c WHERE c.instance_id = $1 AND c.id = l.name)",
    parts: `DELETE FROM class_principals c USING gone g
      WHERE c.instance_id = $1 AND c.class = g.id AND c.principal = ANY (g.principals)`,
  },
  {
    table: "principals",
    key: "id",
    isUnheld: `n.kind = 'intersection' AND ${IS_IN_NO_CLASS}`,
    parts: "DELETE FROM intersection_groups i USING gone g WHERE i.instance_id = $1 AND i.intersection_id = g.id",
  },
  {
    table: "principals",
    key: "id",
    isUnheld: `n.kind <> 'intersection' AND ${IS_IN_NO_CLASS}
      AND (SELECT true FROM intersection_groups i WHERE i.instance_id = $1 AND i.group_id = n.id LIMIT 1) IS NULL`,
    parts: "SELECT 1",
  },
  {
    table: "words",
    key: "hash",
    isUnheld: "n.documents <= 0",
    parts: `DELETE FROM stems s USING gone g WHERE s.instance_id = $1 AND s.hash = g.hash),
      lists AS (DELETE FROM postings p USING gone g WHERE p.instance_id = $1 AND p.hash = g.hash),
      holding AS (DELETE FROM holders h USING gone g WHERE h.instance_id = $1 AND h.hash = g.hash`,
  },
];

const statementOf = ({ table, key, isUnheld, principals = "0", parts }: Sort) => `WITH looked AS MATERIALIZED (
    SELECT n.${key} AS name, ${isUnheld} AS "isUnheld" FROM ${table} n
    WHERE n.instance_id = $1 AND n.${key} > $2::bigint ORDER BY n.${key} LIMIT $3::int),
  chosen AS MATERIALIZED (SELECT name FROM (
      SELECT l.name, sum(l.size) OVER (ORDER BY l.name) - l.size AS before FROM (
        SELECT l.name, ${principals} AS size FROM looked l WHERE l."isUnheld" ORDER BY l.name LIMIT ${REMOVED_MAX}) l) l
    WHERE before < ${PRINCIPALS_A_STEP}),
  gone AS (DELETE FROM ${table} n USING chosen c WHERE n.instance_id = $1 AND n.${key} = c.name RETURNING n.*),
  parts AS (${parts})
  SELECT (SELECT count(*) FROM looked) AS looked,
    (SELECT count(*) FROM looked WHERE "isUnheld") > (SELECT count(*) FROM chosen) AS "isMore",
    (SELECT max(name) FROM looked)::bigint AS "lastLooked", (SELECT max(name) FROM chosen)::bigint AS "lastRemoved"`;

interface Looked {
  readonly looked: number;
  /** Whether it found more unheld names than one step removes. */
  readonly isMore: boolean;
  readonly lastLooked: number | null;
  readonly lastRemoved: number | null;
}

/** Whether there is more to look at. `written`: all names were looked at, but documents were written in the meantime. */
export type Removal = "more" | "done" | "written";

/** Removes some of the names that no document has any more, sort by sort, and continues where the last step ended. */
export async function removeUnheld(rows: Rows): Promise<Removal> {
  const [place] = await rows.byKey<{ sort: number; after: number; isSame: boolean }>(
    `SELECT unheld_sort AS sort, unheld_after AS after, unheld_sort = 0 AND unheld_after = ${FIRST} OR unheld_version = version AS "isSame"
     FROM instances WHERE instance_id = $1`,
  );
  if (!place) return "done";
  let { sort, after } = place;
  const isFirst = sort === 0 && after === FIRST;
  for (let left = LOOKED_MAX; left > 0 && sort < SORTS.length; ) {
    const [found] = await rows.all<Looked>(statementOf(SORTS[sort] as Sort), after, left);
    const { looked, isMore, lastLooked, lastRemoved } = found as Looked;
    if (isMore) after = lastRemoved ?? after;
    else if (looked === left) after = lastLooked ?? after;
    else [sort, after] = [sort + 1, FIRST];
    left = isMore ? 0 : left - looked;
  }
  const isOver = sort === SORTS.length;
  await rows.all(
    `UPDATE instances SET unheld_sort = $2, unheld_after = $3${isFirst ? ", unheld_version = version" : ""} WHERE instance_id = $1`,
    isOver ? 0 : sort,
    isOver ? FIRST : after,
  );
  return !isOver ? "more" : place.isSame ? "done" : "written";
}
