/**
 * The groups of a person whom a directory provisions, as JSON, with whose groups count; NULL for anybody else. The table of people is
 * `people`; ?2 is the instance, or what `instance` says.
 */
export function provisionedGroups(instance: string): string {
  return `(SELECT json_object(
      'counting', coalesce((SELECT settings ->> '$.provisionedGroups' FROM instances WHERE id = ${instance}), 'directory'),
      'groups', (SELECT json_group_array(g.name) FROM directory_members m JOIN directory_groups g ON g.id = m.group_id
        WHERE m.user_id = u.id))
    FROM directory_users u WHERE u.person_id = people.id)`;
}
