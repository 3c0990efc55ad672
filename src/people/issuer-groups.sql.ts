import { isSsoOf } from "#instance/instance.sql.ts";

/**
 * Whether a group, `value`, is named after an issuer other than the directory. It matches the same names as `isOfIssuer`.
 */
export const IS_OF_ISSUER = "(value GLOB 'http://*|*' OR value GLOB 'https://*|*')";

/**
 * Removes the groups that an SSO gave to the people who sign in there, because nobody vouches for them any more: the directory's, and
 * its own. Groups of other identity providers stay. It counts as a sign-out, so no session begins from a sign-in of the same moment.
 */
export function signOutOfRemovedSso(database: D1Database, instanceId: number, issuer: string): D1PreparedStatement {
  return database
    .prepare(
      `UPDATE people SET directory_groups = (
         SELECT json_group_array(value) FROM json_each(people.directory_groups)
         WHERE ${IS_OF_ISSUER} AND substr(value, 1, length(?2) + 1) <> lower(?2) || '|'), sign_outs = sign_outs + 1
       WHERE instance_id = ?1 AND sso_issuer = ?2 AND NOT ${isSsoOf("?1", "?2")}`,
    )
    .bind(instanceId, issuer);
}

/**
 * Removes the groups that an issuer gave to people, because nobody vouches for them any more. An account that signs people in by its
 * subject has no link.
 */
export function forgetGroupsOfIssuer(database: D1Database, instanceId: number, issuer: string): D1PreparedStatement {
  return database
    .prepare(
      `UPDATE people SET directory_groups = (
         SELECT json_group_array(value) FROM json_each(people.directory_groups)
         WHERE substr(value, 1, length(?2) + 1) <> lower(?2) || '|')
       WHERE id IN (SELECT person_id FROM linked_accounts WHERE instance_id = ?1 AND issuer = ?2
         UNION SELECT id FROM people WHERE instance_id = ?1 AND sso_issuer = ?2)`,
    )
    .bind(instanceId, issuer);
}
