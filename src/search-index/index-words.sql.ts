/**
 * How documents name principals and filter terms in the index: as words made of ids. What is named gets its id first, by
 * {@link insertPrincipals} and {@link insertFilterTerms}; then the columns are made of the ids.
 *
 * Each takes a source, a table expression whose `value` is one JSON object or array a row, such as `json_each(?2)`, and ?1, the
 * instance's id.
 */

const NAMED = (source: string) => `named (kind, datasource, name) AS MATERIALIZED (
  SELECT DISTINCT value ->> 'kind', value ->> 'datasource', value ->> 'name' FROM ${source})`;

/** The groups of an intersection, which its name lists; no row for any other kind, whose names are not JSON. */
const GROUPS_OF_NAMED = "json_each(CASE named.kind WHEN 'intersection' THEN named.name ELSE '[]' END)";

/** Gives whoever permissions name a principal, known to anybody yet or not; the groups of intersections too. */
export function insertPrincipals(source: string): string {
  return `WITH ${NAMED(source)}
    INSERT INTO principals (instance_id, kind, datasource, name)
    SELECT ?1, kind, datasource, name FROM named
    UNION
    SELECT ?1, 'group', named.datasource, g.value FROM named CROSS JOIN ${GROUPS_OF_NAMED} g WHERE true
    ON CONFLICT DO NOTHING`;
}

/** Says of which groups the intersections are; after {@link insertPrincipals}. */
export function insertIntersectionGroups(source: string): string {
  return `WITH ${NAMED(source)}
    INSERT INTO intersection_groups (group_id, intersection_id)
    SELECT g.id, i.id FROM named
      CROSS JOIN principals i
        ON i.instance_id = ?1 AND i.kind = 'intersection' AND i.name = named.name AND i.datasource = named.datasource
      CROSS JOIN ${GROUPS_OF_NAMED} n
      CROSS JOIN principals g
        ON g.instance_id = ?1 AND g.kind = 'group' AND g.name = n.value AND g.datasource = named.datasource
    WHERE named.kind = 'intersection'
    ON CONFLICT DO NOTHING`;
}

/** Gives the built-in fields' values their filter terms. The source gives arrays of field and value. */
export function insertFilterTerms(source: string): string {
  return `INSERT INTO filter_terms (instance_id, field, value)
    SELECT DISTINCT ?1, value ->> 0, value ->> 1 FROM ${source} WHERE true
    ON CONFLICT DO NOTHING`;
}

/**
 * The `acl` of a document.
 *
 * The cross join makes SQLite look each name up; in the other order it would read the whole list once for each principal.
 *
 * @param permissions JSON: an array of principals
 */
export function aclOf(permissions: string): string {
  return `(SELECT COALESCE(group_concat('p' || p.id, ' '), '') FROM json_each(${permissions}) named
    CROSS JOIN principals p ON p.instance_id = ?1 AND p.kind = named.value ->> 'kind'
      AND p.name = named.value ->> 'name' AND p.datasource = named.value ->> 'datasource')`;
}

/** The `filters` of a document. @param terms JSON: an array of arrays of field and value */
export function filtersOf(terms: string): string {
  return `(SELECT COALESCE(group_concat('f' || t.id, ' '), '') FROM json_each(${terms}) term
    CROSS JOIN filter_terms t ON t.instance_id = ?1 AND t.field = term.value ->> 0 AND t.value = term.value ->> 1)`;
}
