/**
 * The groups of a datasource that one person may hold at most, nearest first. No directory comes near it; a chain of groups
 * that a mistaken pipeline makes ends here, and what lies beyond is not held.
 */
const GROUPS_MAX = 5000;

/**
 * Who a person is, as permissions name them: everyone, themselves, the datasources that know them, their groups and the
 * intersections of these, as all of it is now. Read in the statement that asks, so that what they may see is decided at the
 * moment they ask, and a change of membership rewrites nothing.
 *
 * A group that a pipeline described has the members that the pipeline named, by the datasource's id of a user or, where it has
 * no user of that id, by email; nested to any depth, in cycles too. Any other group is the directory's, in every datasource.
 * Where all of a datasource's users of that email are inactive, nothing makes the person a member of its described groups.
 *
 * The cross joins make SQLite start from the person's few groups; in the order that it would choose, it reads every group that
 * any document names.
 *
 * Takes ?1, the instance's id. Gives the table `held (id)`.
 *
 * @param person a statement that gives the person's `email` and `directory_groups`, or no row
 */
function heldPrincipals(person: string): string {
  return `
  person (email, directory_groups) AS MATERIALIZED (${person}),
  account (datasource, user_id) AS MATERIALIZED (
    SELECT u.datasource, u.user_id FROM person CROSS JOIN datasource_users u
      ON u.instance_id = ?1 AND u.email = person.email AND u.is_active = 1
  ),
  inactive (datasource) AS MATERIALIZED (
    SELECT u.datasource FROM person CROSS JOIN datasource_users u
      ON u.instance_id = ?1 AND u.email = person.email AND u.is_active = 0
    EXCEPT SELECT datasource FROM account
  ),
  directory (name) AS MATERIALIZED (SELECT g.value FROM person CROSS JOIN json_each(person.directory_groups) g),
  member_of (datasource, name) AS (
    SELECT m.datasource, m.group_name FROM account a CROSS JOIN memberships m
      ON m.instance_id = ?1 AND m.member_kind = 'user' AND m.member = a.user_id AND m.datasource = a.datasource
    UNION
    SELECT m.datasource, m.group_name FROM person CROSS JOIN memberships m
      ON m.instance_id = ?1 AND m.member_kind = 'user' AND m.member = person.email
    WHERE NOT EXISTS (SELECT 1 FROM datasource_users u
      WHERE u.instance_id = ?1 AND u.datasource = m.datasource AND u.user_id = m.member)
      AND m.datasource NOT IN (SELECT datasource FROM inactive)
    UNION
    SELECT m.datasource, m.group_name FROM directory d CROSS JOIN memberships m
      ON m.instance_id = ?1 AND m.member_kind = 'group' AND m.member = d.name
    WHERE NOT EXISTS (SELECT 1 FROM datasource_groups g
      WHERE g.instance_id = ?1 AND g.datasource = m.datasource AND g.name = m.member)
      AND m.datasource NOT IN (SELECT datasource FROM inactive)
    UNION
    SELECT m.datasource, m.group_name FROM member_of o CROSS JOIN memberships m
      ON m.instance_id = ?1 AND m.member_kind = 'group' AND m.member = o.name AND m.datasource = o.datasource
    LIMIT ${GROUPS_MAX}
  ),
  held_group (id) AS MATERIALIZED (
    SELECT p.id FROM member_of o CROSS JOIN principals p
      ON p.instance_id = ?1 AND p.kind = 'group' AND p.name = o.name AND p.datasource = o.datasource
    UNION
    SELECT p.id FROM directory d CROSS JOIN principals p ON p.instance_id = ?1 AND p.kind = 'group' AND p.name = d.name
    WHERE NOT EXISTS (SELECT 1 FROM datasource_groups g
      WHERE g.instance_id = ?1 AND g.datasource = p.datasource AND g.name = p.name)
  ),
  held (id) AS MATERIALIZED (
    SELECT p.id FROM person CROSS JOIN principals p
      ON p.instance_id = ?1 AND p.kind = 'everyone' AND p.name = '' AND p.datasource = ''
    UNION ALL
    SELECT p.id FROM person CROSS JOIN principals p
      ON p.instance_id = ?1 AND p.kind = 'person' AND p.name = person.email AND p.datasource = ''
    UNION
    SELECT p.id FROM account a CROSS JOIN principals p
      ON p.instance_id = ?1 AND p.kind = 'datasource' AND p.name = '' AND p.datasource = a.datasource
    UNION ALL
    SELECT id FROM held_group
    UNION ALL
    SELECT i.intersection_id FROM held_group h CROSS JOIN intersection_groups i ON i.group_id = h.id
    GROUP BY i.intersection_id
    HAVING count(*) = (SELECT count(*) FROM intersection_groups g WHERE g.intersection_id = i.intersection_id)
  )`;
}

/** {@link heldPrincipals} of the person whose id is ?2; nobody once they are deactivated. */
export const HELD_PRINCIPALS = heldPrincipals(
  `SELECT email, directory_groups FROM people WHERE id = ?2 AND instance_id = ?1 AND deactivated_at IS NULL`,
);

/**
 * {@link heldPrincipals} of whoever signs in with the email ?2: somebody who has not come yet has no groups of the directory.
 */
export const HELD_PRINCIPALS_BY_EMAIL = heldPrincipals(
  `SELECT email, directory_groups FROM people WHERE instance_id = ?1 AND email = ?2 AND deactivated_at IS NULL
   UNION ALL SELECT ?2, '[]' WHERE NOT EXISTS (SELECT 1 FROM people WHERE instance_id = ?1 AND email = ?2)`,
);

/**
 * Whether who stands in `held` may see one document: the look-up for documents that are known, where search would ask the index.
 *
 * @param acl the document's column
 */
export function isVisible(acl: string): string {
  return `EXISTS (SELECT 1 FROM json_each('["' || replace(${acl}, ' ', '","') || '"]') word
    WHERE word.value IN (SELECT 'p' || id FROM held))`;
}
