/** Removes the directory user of a released person, so that the directory can create it again for somebody else. */
export function forgetUserOfReleased(database: D1Database, personId: string): D1PreparedStatement[] {
  const released = `person_id = ?1 AND EXISTS (SELECT 1 FROM people WHERE id = ?1 AND released_at IS NOT NULL)`;
  return [
    `DELETE FROM directory_members WHERE user_id IN (SELECT id FROM directory_users WHERE ${released})`,
    `DELETE FROM directory_users WHERE ${released}`,
  ].map((sql) => database.prepare(sql).bind(personId));
}
