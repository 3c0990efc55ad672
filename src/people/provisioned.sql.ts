/**
 * Returns SQL of a provisioned person's groups and the setting `provisionedGroups`, as JSON; NULL for anybody else. The table of
 * people must be named `people`.
 *
 * @param instance the parameter of the instance's id, such as `?2`
 */
export function provisionedGroups(instance: string): string {
  return `(SELECT json_object(
      'counting', coalesce((SELECT settings ->> '$.provisionedGroups' FROM instances WHERE id = ${instance}), 'directory'),
      'groups', (SELECT json_group_array(g.name) FROM directory_members m JOIN directory_groups g ON g.id = m.group_id
        WHERE m.user_id = u.id))
    FROM directory_users u WHERE u.person_id = people.id)`;
}
