import { sourcesOf } from "#documents/datasources.sql.ts";
import type { DatasourceMemberships, PersonRights, Seer } from "#documents/engine.ts";
import { stateOf, type Store, unpeeked } from "#documents/store.ts";
import { numbersOf } from "#documents/find/collect/rows.ts";

/**
 * What one datasource can add to a person, so that no datasource makes searches expensive or pushes a person out of another's groups.
 * No directory comes near these limits. A person doesn't hold anything beyond them.
 */
export interface RightsLimits {
  /** Users with the person's email. */
  readonly users: number;
  /** Groups, nearest first. */
  readonly groups: number;
  /** Memberships that are followed to find these. */
  readonly memberships: number;
  /** Pairs of a group that the person holds and an intersection that contains it. */
  readonly intersections: number;
}

const RIGHTS_LIMITS: RightsLimits = { users: 100, groups: 5000, memberships: 20_000, intersections: 20_000 };

/**
 * Returns the ids of the principals that a person holds: everyone, themselves, the datasources where they are an active user, their
 * groups and the intersections of these.
 *
 * @param seer if it has no rights, they are read from the store
 */
export function principalsOf(store: Store, seer: Seer, limits: RightsLimits = RIGHTS_LIMITS): number[] {
  const sources = datasourcesOf(store);
  const rights = seer.rights ?? personRights(store, seer, sources, limits);
  const held = numbersOf(
    store,
    `SELECT json_group_array(id) AS rows FROM principals
     WHERE (kind = 'everyone' AND name = '' AND datasource = '') OR (kind = 'person' AND name = ?1 AND datasource = '')
       OR (kind = 'datasource' AND name = '' AND datasource IN (SELECT value FROM json_each(?2)))`,
    seer.email,
    JSON.stringify(rights.datasources),
  );
  for (const datasource of sources) {
    const { groups = [], described = [] } = rights.memberships.get(datasource) ?? {};
    const taken = new Set(described);
    const names = [...groups, ...seer.directoryGroups.filter((name) => !taken.has(name))];
    const ids = numbersOf(
      store,
      `SELECT json_group_array(DISTINCT p.id) AS rows FROM json_each(?2) g CROSS JOIN principals p
         ON p.kind = 'group' AND p.name = g.value AND p.datasource = ?1`,
      datasource,
      JSON.stringify(names),
    );
    for (const id of ids) held.push(id);
    for (const id of intersectionsOf(store, ids, limits)) held.push(id);
  }
  return held;
}

/**
 * Returns what datasources say about a person.
 *
 * A group that a pipeline described has the members that the pipeline named, by the datasource's user id or, if the datasource has no
 * user with that id, by email. Groups can be nested to any depth, even in cycles. Any other group is the directory's, in every
 * datasource. If all of a datasource's users with that email are inactive, the person isn't a member of any of its described groups.
 *
 * @param sources the datasources that are asked for groups
 */
function personRights(store: Store, seer: Seer, sources: readonly string[], limits: RightsLimits): PersonRights {
  const knowing = datasourcesKnowing(store, seer.email);
  const inactive = inactiveAmong(knowing);
  const directory = JSON.stringify(seer.directoryGroups);
  const memberships = new Map<string, DatasourceMemberships>();
  for (const datasource of sources) {
    const groups = inactive.has(datasource) ? [] : [...describedGroupsOf(store, datasource, seer, limits).keys()];
    const described = store
      .exec<{ name: string }>(
        `SELECT d.name FROM json_each(?2) g CROSS JOIN datasource_groups d ON d.datasource = ?1 AND d.name = g.value`,
        datasource,
        directory,
      )
      .map(({ name }) => name);
    if (groups.length + described.length > 0) memberships.set(datasource, { groups, described });
  }
  return {
    version: rightsVersion(store),
    datasources: knowing.filter(({ isActive }) => isActive === 1).map(({ name }) => name),
    memberships,
  };
}

/**
 * Returns what all datasources say about a person, for shards that have documents but no memberships.
 *
 * @param known the version that the caller has
 * @returns `null` if the caller's is still valid
 */
export function rightsOf(store: Store, seer: Seer, known: string | null): PersonRights | null {
  if (known === rightsVersion(store)) return null;
  const statement = "SELECT name FROM datasources WHERE groups + memberships > 0 ORDER BY name";
  const sources = store.exec<{ name: string }>(statement).map(({ name }) => name);
  return personRights(store, seer, sources, RIGHTS_LIMITS);
}

/** Returns a text that differs whenever users, groups or memberships may. Counters start again in an object that was emptied. */
function rightsVersion(store: Store): string {
  const [transfer] = store.exec<{ turn: number }>("SELECT turn FROM transfer");
  return `${transfer?.turn ?? 0}.${stateOf(store, "memberships")}`;
}

/** Returns every datasource of which permissions name a group. */
function datasourcesOf(store: Store): string[] {
  return store
    .exec<{ name: string }>(
      `${sourcesOf("principals", "kind = 'group'")} SELECT name FROM source WHERE name IS NOT NULL`,
    )
    .map(({ name }) => name);
}

/** Returns every datasource that has a user with this email, and whether one of these is active. */
export function datasourcesKnowing(store: Store, email: string): readonly { name: string; isActive: number }[] {
  return store.exec(
    `${sourcesOf("datasource_users", "email = ?1")}
     SELECT s.name, EXISTS (SELECT 1 FROM datasource_users u
       WHERE u.email = ?1 AND u.datasource = s.name AND u.is_active = 1) AS isActive
     FROM source s WHERE s.name IS NOT NULL`,
    email,
  );
}

/** Returns the datasources where a person is in no described group, because all of their users there are inactive. */
export function inactiveAmong(knowing: ReturnType<typeof datasourcesKnowing>): ReadonlySet<string> {
  return new Set(knowing.filter(({ isActive }) => isActive === 0).map(({ name }) => name));
}

/** What made a person a member of a group: the datasource's user, the email, or a group that leads there. */
export interface MembershipStep {
  readonly by: "user" | "email" | "directory" | "group";
  readonly member: string;
}

/**
 * Memberships that are read as one value, which takes a seventh of the time of as many rows. Names have up to 200 characters, and
 * SQLite allows a value two megabytes.
 */
const FOLLOWED_AT_ONCE = 2000;

/** Whether there is any deleted group. Usually there is none, and then no membership's group has to be looked up. */
const IS_A_GROUP_DELETED = `(EXISTS (SELECT 1 FROM datasource_groups WHERE is_deleted = 1)
               OR EXISTS (SELECT 1 FROM datasource_groups WHERE is_deleted = 2))`;

/** Returns the groups that a datasource's memberships lead to from a person, each with the first that led there. */
export function describedGroupsOf(
  store: Store,
  datasource: string,
  { email, directoryGroups }: Seer,
  limits: RightsLimits = RIGHTS_LIMITS,
): Map<string, MembershipStep> {
  const found = new Map<string, MembershipStep>();
  let memberships = limits.memberships;
  const follow = (by: MembershipStep["by"], members: readonly string[], condition = "true"): string[] => {
    const steps = members.map((member): MembershipStep => ({ by, member }));
    const added: string[] = [];
    for (let from = 0; memberships > 0; from += FOLLOWED_AT_ONCE) {
      const [read] = store.exec<{ names: string; members: string }>(
        `SELECT json_group_array(name) AS names, json_group_array(member) AS members FROM (
           SELECT m.group_name AS name, member.key AS member FROM json_each(?2) member CROSS JOIN memberships m
             ON m.member_kind = ?3 AND m.member = member.value AND m.datasource = ?1
           WHERE ${condition} AND NOT (?3 = 'user' AND EXISTS (
             SELECT 1 FROM leaving_users l WHERE l.datasource = ?1 AND l.member = member.value)) AND NOT (
             ${IS_A_GROUP_DELETED} AND EXISTS (
               SELECT 1 FROM datasource_groups d WHERE d.datasource = ?1 AND d.name = m.group_name AND d.is_deleted <> 0))
           LIMIT ${unpeeked("?4")} OFFSET ${unpeeked("?5")})`,
        datasource,
        JSON.stringify(members),
        by === "user" || by === "email" ? "user" : "group",
        Math.min(memberships, FOLLOWED_AT_ONCE),
        from,
      );
      const names = JSON.parse(read?.names ?? "[]") as string[];
      const ways = JSON.parse(read?.members ?? "[]") as number[];
      memberships -= names.length;
      for (const [at, name] of names.entries()) {
        const step = steps[ways[at] ?? 0];
        if (!step || found.has(name) || found.size >= limits.groups) continue;
        found.set(name, step);
        added.push(name);
      }
      if (names.length < FOLLOWED_AT_ONCE) break;
    }
    return added;
  };
  const users = store.exec<{ id: string }>(
    "SELECT user_id AS id FROM datasource_users WHERE email = ?1 AND datasource = ?2 AND is_active = 1 LIMIT ?3",
    email,
    datasource,
    limits.users,
  );
  const byId = follow(
    "user",
    users.map(({ id }) => id),
  );
  const byEmail = follow(
    "email",
    [email],
    "NOT EXISTS (SELECT 1 FROM datasource_users u WHERE u.datasource = ?1 AND u.user_id = member.value)",
  );
  const [nests] = store.exec(
    "SELECT 1 FROM memberships WHERE datasource = ?1 AND member_kind = 'group' LIMIT 1",
    datasource,
  );
  if (!nests) return found;
  const byDirectory = follow(
    "directory",
    directoryGroups,
    "NOT EXISTS (SELECT 1 FROM datasource_groups g WHERE g.datasource = ?1 AND g.name = member.value)",
  );
  let next = [...byId, ...byEmail, ...byDirectory];
  while (next.length > 0) next = follow("group", next);
  return found;
}

/** Returns the intersections of which the person holds every group. */
function intersectionsOf(store: Store, groups: readonly number[], limits: RightsLimits): number[] {
  return numbersOf(
    store,
    `WITH part (id, held) AS MATERIALIZED (
       SELECT intersection_id, count(*) FROM (
         SELECT i.intersection_id FROM json_each(?1) g CROSS JOIN intersection_groups i ON i.group_id = g.value LIMIT ?2)
       GROUP BY 1)
     SELECT json_group_array(id) AS rows FROM part
     WHERE held = (SELECT count(*) FROM intersection_groups g WHERE g.intersection_id = part.id)`,
    JSON.stringify(groups),
    limits.intersections,
  );
}
