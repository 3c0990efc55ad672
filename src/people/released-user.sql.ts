/** A released person is nobody's any more, a directory's neither: its user is gone, and may be made anew for somebody else. */
export function forgetUserOfReleased(database: D1Database, personId: string): D1PreparedStatement[] {
  const released = `person_id = ?1 AND EXISTS (SELECT 1 FROM people WHERE id = ?1 AND released_at IS NOT NULL)`;
  return [
    `DELETE FROM directory_members WHERE user_id IN (SELECT id FROM directory_users WHERE ${released})`,
    `DELETE FROM directory_users WHERE ${released}`,
  ].map((sql) => database.prepare(sql).bind(personId));
}
