import type { Seer } from "#documents/engine.ts";
import { inactiveAmong, type MembershipStep, RIGHTS_LIMITS, type RightsLimits } from "#documents/find/principals.ts";
import { keepable, type Rows, textList } from "#documents-postgres/database.ts";

/**
 * The groups of a datasource that a person is in by the datasource's own memberships, each with the first membership that led to
 * it.
 */
export type DescribedGroups = Map<string, MembershipStep>;

type By = MembershipStep["by"];

/**
 * The conditions under which a membership `m` counts, by how it names its member. In addition, its group must not have been
 * deleted.
 */
const CONDITIONS: Readonly<Record<By, string>> = {
  user: `NOT EXISTS (SELECT 1 FROM leaving_users l WHERE l.instance_id = $1 AND l.datasource = m.datasource AND l.member = m.member)`,
  email: `NOT EXISTS (SELECT 1 FROM datasource_users u
    WHERE u.instance_id = $1 AND u.datasource = m.datasource AND u.user_id = m.member)
    AND NOT EXISTS (SELECT 1 FROM leaving_users l WHERE l.instance_id = $1 AND l.datasource = m.datasource AND l.member = m.member)`,
  directory: `NOT EXISTS (SELECT 1 FROM datasource_groups g
    WHERE g.instance_id = $1 AND g.datasource = m.datasource AND g.name = m.member)`,
  group: "true",
};

/** Returns every datasource that has a user with this email, by name, and whether one of these users is active. */
export async function datasourcesKnowing(
  rows: Rows,
  email: string,
): Promise<readonly { readonly name: string; readonly isActive: number }[]> {
  return rows.all(
    `SELECT datasource AS name, bool_or(is_active)::int AS "isActive" FROM datasource_users
     WHERE instance_id = $1 AND email = $2 GROUP BY datasource ORDER BY datasource`,
    email,
  );
}

/**
 * Returns the groups that a person is in by the datasources' own memberships: nearest first, nested to any depth, even in cycles.
 * If all of a datasource's users with the person's email are inactive, the person is a member of nothing there.
 */
export async function describedGroupsOf(
  rows: Rows,
  { email, directoryGroups }: Seer,
  knowing: Awaited<ReturnType<typeof datasourcesKnowing>>,
  limits: RightsLimits = RIGHTS_LIMITS,
): Promise<ReadonlyMap<string, DescribedGroups>> {
  const found = new Map<string, DescribedGroups>();
  const left = new Map<string, number>();
  const inactive = inactiveAmong(knowing);
  const statement = "SELECT name FROM datasources WHERE instance_id = $1 AND memberships > 0";
  for (const { name } of await rows.all<{ name: string }>(statement)) {
    if (!inactive.has(name)) left.set(name, limits.memberships);
  }
  if (left.size === 0) return found;
  const follow = async (by: By, members: ReadonlyMap<string, readonly string[]>) => {
    const asked = [...members].filter(([name, list]) => list.length > 0 && (left.get(name) ?? 0) > 0);
    const added = new Map<string, string[]>();
    if (asked.length === 0) return added;
    const memberships = await rows.all<{ datasource: string; name: string; member: string }>(
      `SELECT y.* FROM json_to_recordset($2::text::json) AS x (datasource text, most int, members json) CROSS JOIN LATERAL (
         SELECT m.datasource, m.group_name AS name, m.member FROM json_array_elements_text(x.members) AS f (member)
         JOIN memberships m ON m.instance_id = $1 AND m.member_kind = $3 AND m.member = f.member AND m.datasource = x.datasource
         WHERE ${CONDITIONS[by]} AND NOT EXISTS (SELECT 1 FROM datasource_groups d
           WHERE d.instance_id = $1 AND d.datasource = m.datasource AND d.name = m.group_name AND d.state <> 'described')
         LIMIT x.most) y`,
      JSON.stringify(
        asked.map(([datasource, list]) => ({ datasource, most: left.get(datasource), members: list.map(keepable) })),
      ),
      by === "user" || by === "email" ? "user" : "group",
    );
    for (const { datasource, name, member } of memberships) {
      left.set(datasource, (left.get(datasource) ?? 0) - 1);
      const groups = found.get(datasource) ?? new Map<string, MembershipStep>();
      found.set(datasource, groups);
      if (groups.has(name) || groups.size >= limits.groups) continue;
      groups.set(name, { by, member });
      added.set(datasource, [...(added.get(datasource) ?? []), name]);
    }
    return added;
  };
  const everywhere = (members: readonly string[]) => new Map([...left.keys()].map((name) => [name, members]));
  const added = [
    await follow("user", await usersOf(rows, email, [...left.keys()], limits.users)),
    await follow("email", everywhere([email])),
    await follow("directory", everywhere(directoryGroups)),
  ];
  let next = new Map<string, string[]>();
  for (const one of added) for (const [name, groups] of one) next.set(name, [...(next.get(name) ?? []), ...groups]);
  while (next.size > 0) next = await follow("group", next);
  return found;
}

/** Returns the ids of active users with an email, by datasource. */
async function usersOf(
  rows: Rows,
  email: string,
  datasources: readonly string[],
  max: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const users = await rows.all<{ datasource: string; id: string }>(
    `SELECT y.* FROM unnest($3::text[]) AS x (datasource) CROSS JOIN LATERAL (
       SELECT u.datasource, u.user_id AS id FROM datasource_users u
       WHERE u.instance_id = $1 AND u.email = $2 AND u.datasource = x.datasource AND u.is_active LIMIT $4) y`,
    email,
    textList(datasources),
    max,
  );
  return new Map(
    [...Map.groupBy(users, ({ datasource }) => datasource)].map(([name, of]) => [name, of.map(({ id }) => id)]),
  );
}
