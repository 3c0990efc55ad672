import { countOf } from "#documents/counts.ts";
import type { Store } from "#documents/store.ts";
import type { Membership, UndescribedGroups } from "./rights.ts";

/** Deletes a user. @returns how many rows were deleted, like all deletions here */
export function deleteUser(store: Store, datasource: string, userId: string): number {
  const statement = "DELETE FROM datasource_users WHERE datasource = ?1 AND user_id = ?2 RETURNING 1";
  return store.exec(statement, datasource, userId).length;
}

export function deleteMembershipsOfUser(store: Store, datasource: string, member: string, max: number): number {
  return store.exec(
    `DELETE FROM memberships WHERE (member_kind, member, datasource, group_name) IN (
       SELECT member_kind, member, datasource, group_name FROM memberships
       WHERE member_kind = 'user' AND member = ?2 AND datasource = ?1 LIMIT ?3)
     RETURNING 1`,
    datasource,
    member,
    max,
  ).length;
}

/** Marks a user as leaving: their memberships don't count until {@link markUserGone}. */
export function markUserLeaving(store: Store, datasource: string, member: string): void {
  store.exec("INSERT OR IGNORE INTO leaving_users (datasource, member) VALUES (?1, ?2)", datasource, member);
}

export function markUserGone(store: Store, datasource: string, member: string): void {
  store.exec("DELETE FROM leaving_users WHERE datasource = ?1 AND member = ?2", datasource, member);
}

/** Returns any user that is leaving. */
export function leavingUser(store: Store): { readonly datasource: string; readonly member: string } | undefined {
  return store.exec<{ datasource: string; member: string }>("SELECT datasource, member FROM leaving_users LIMIT 1")[0];
}

export function isUserLeaving(store: Store, datasource: string, member: string): boolean {
  const statement = "SELECT 1 FROM leaving_users WHERE datasource = ?1 AND member = ?2";
  return store.exec(statement, datasource, member).length > 0;
}

export function deleteMembership(store: Store, datasource: string, membership: Membership): number {
  return store.exec(
    `DELETE FROM memberships
     WHERE member_kind = ?2 AND member = ?3 AND datasource = ?1 AND group_name = ?4 RETURNING 1`,
    datasource,
    membership.memberKind,
    membership.member,
    membership.groupName,
  ).length;
}

/** Marks a group as leaving. One that was never described stays the directory's. @returns whether it was described */
export function markGroupLeaving(store: Store, datasource: string, name: string, generation: number): boolean {
  const statement =
    "UPDATE datasource_groups SET is_deleted = 2, generation = ?3 WHERE datasource = ?1 AND name = ?2 RETURNING 1";
  return store.exec(statement, datasource, name, generation).length > 0;
}

/** Marks a leaving group as gone: what names it from now on was written after its deletion. */
export function markGroupGone(store: Store, datasource: string, name: string): void {
  store.exec("UPDATE datasource_groups SET is_deleted = 1 WHERE datasource = ?1 AND name = ?2", datasource, name);
}

/** Removes a group's members, and then the group from others, up to `max` memberships. @returns how many */
export function deleteMembershipsOfGroup(store: Store, datasource: string, name: string, max: number): number {
  const remove = (condition: string, most: number) =>
    store.exec(
      `DELETE FROM memberships WHERE (member_kind, member, datasource, group_name) IN (
         SELECT member_kind, member, datasource, group_name FROM memberships
         WHERE datasource = ?1 AND ${condition} LIMIT ?3)
       RETURNING 1`,
      datasource,
      name,
      most,
    ).length;
  const members = remove("group_name = ?2", max);
  return members + remove("member_kind = 'group' AND member = ?2", max - members);
}

/** Returns any group that is leaving. */
export function leavingGroup(store: Store): { readonly datasource: string; readonly name: string } | undefined {
  const statement = "SELECT datasource, name FROM datasource_groups WHERE is_deleted = 2 LIMIT 1";
  return store.exec<{ datasource: string; name: string }>(statement)[0];
}

export function isLeaving(store: Store, datasource: string, name: string): boolean {
  const statement = "SELECT 1 FROM datasource_groups WHERE datasource = ?1 AND name = ?2 AND is_deleted = 2";
  return store.exec(statement, datasource, name).length > 0;
}

export function hasMembers(store: Store, datasource: string, name: string): boolean {
  const statement = "SELECT 1 FROM memberships WHERE datasource = ?1 AND group_name = ?2 LIMIT 1";
  return store.exec(statement, datasource, name).length > 0;
}

/** Returns a user's email if no other user of the datasource has it as email or as id. */
export function emailOfNobodyElse(store: Store, datasource: string, userId: string): string | undefined {
  return store.exec<{ email: string }>(
    `SELECT u.email FROM datasource_users u WHERE u.datasource = ?1 AND u.user_id = ?2 AND NOT EXISTS (
       SELECT 1 FROM datasource_users o
       WHERE o.datasource = ?1 AND o.user_id <> ?2 AND (o.email = u.email OR o.user_id = u.email))`,
    datasource,
    userId,
  )[0]?.email;
}

export function userIdsOf(store: Store, datasource: string, email: string, max: number): string[] {
  const statement = "SELECT user_id FROM datasource_users WHERE datasource = ?1 AND email = ?2 LIMIT ?3";
  return store.exec<{ user_id: string }>(statement, datasource, email, max).map((row) => row.user_id);
}

/** Checks whether a datasource's pipeline has described a group and not deleted it since. */
export function isDescribed(store: Store, datasource: string, name: string): boolean {
  const statement = "SELECT 1 FROM datasource_groups WHERE datasource = ?1 AND name = ?2 AND is_deleted = 0";
  return store.exec(statement, datasource, name).length > 0;
}

/** Returns those of some groups that a datasource doesn't describe, or has deleted. */
export function undescribedGroups(store: Store, datasource: string, names: readonly string[]): UndescribedGroups {
  const rows = store.exec<{ name: string }>(
    `SELECT value AS name FROM json_each(?2) WHERE NOT EXISTS (
       SELECT 1 FROM datasource_groups WHERE datasource = ?1 AND name = value AND is_deleted = 0)`,
    datasource,
    JSON.stringify(names),
  );
  return { undescribed: rows.map(({ name }) => name), describesAny: countOf(store, datasource, "groups") > 0 };
}
