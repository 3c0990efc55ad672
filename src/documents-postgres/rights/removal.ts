import { count } from "#documents-postgres/counts.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { noteSingleChange } from "#documents-postgres/single-changes.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";

/** The most memberships that one step of the clean-up removes. */
const MEMBERSHIPS_A_STEP = 1000;

/**
 * Removes a user and their memberships: otherwise, a membership of an id that looks like an email would belong to that email from
 * then on. Memberships that name the user's email are removed as well, if no other user of the datasource has it. What exceeds
 * `max` no longer counts, and the clean-up removes it.
 *
 * @param max the most memberships to remove now
 * @returns how many memberships were removed
 */
export async function removeUser(writing: Writing, datasource: string, userId: string, max: number): Promise<number> {
  const { rows } = writing;
  const email = await emailOfNobodyElse(rows, datasource, userId);
  const members = new Set([userId, ...(email === undefined ? [] : [email])]);
  let memberships = 0;
  for (const member of members) {
    memberships += await removeMembershipsOfUser(rows, datasource, member, max - memberships);
    await noteSingleChange(writing, datasource, "users", member);
  }
  const gone = await rows.all(
    "DELETE FROM datasource_users WHERE instance_id = $1 AND datasource = $2 AND user_id = $3 RETURNING 1",
    datasource,
    userId,
  );
  await count(rows, datasource, "users", -gone.length);
  return memberships;
}

/** Returns the email of a user, if no other user of the datasource has it as email or as id. */
async function emailOfNobodyElse(rows: Rows, datasource: string, userId: string): Promise<string | undefined> {
  const [row] = await rows.all<{ email: string }>(
    `SELECT u.email FROM datasource_users u
     WHERE u.instance_id = $1 AND u.datasource = $2 AND u.user_id = $3
       AND NOT EXISTS (SELECT 1 FROM datasource_users o WHERE o.instance_id = $1 AND o.datasource = $2
         AND o.user_id <> $3 AND o.email = u.email)
       AND NOT EXISTS (SELECT 1 FROM datasource_users o WHERE o.instance_id = $1 AND o.datasource = $2
         AND o.user_id <> $3 AND o.user_id = u.email)`,
    datasource,
    userId,
  );
  return row?.email;
}

/** @returns how many were removed */
async function removeMembershipsOfUser(rows: Rows, datasource: string, member: string, max: number): Promise<number> {
  const removed = await deleteMemberships(rows, datasource, "member_kind = 'user' AND member", member, max);
  const statement =
    removed < max
      ? "DELETE FROM leaving_users WHERE instance_id = $1 AND datasource = $2 AND member = $3"
      : "INSERT INTO leaving_users (instance_id, datasource, member) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
  await rows.all(statement, datasource, member);
  return removed;
}

/**
 * Removes a group. Its row stays, marked, until no document and no membership names it: without the row, the directory's group of
 * that name would see what the datasource's group saw. Nobody is in a marked group. Some of its memberships are removed now, the
 * rest by the clean-up. A group that was never described is the directory's, and stays so.
 *
 * @param max the most memberships to remove now
 */
export async function removeGroup(writing: Writing, datasource: string, name: string, max: number): Promise<void> {
  const { rows } = writing;
  const marked = await rows.all(
    `UPDATE datasource_groups SET state = 'leaving', generation = $4
     WHERE instance_id = $1 AND datasource = $2 AND name = $3 RETURNING 1`,
    datasource,
    name,
    writing.generation,
  );
  if (marked.length > 0) await emptyGroup(rows, datasource, name, max);
}

/**
 * Removes the members of a group that is being deleted, and then its memberships in other groups.
 *
 * @returns how many memberships were removed
 */
async function emptyGroup(rows: Rows, datasource: string, name: string, max: number): Promise<number> {
  const members = await deleteMemberships(rows, datasource, "group_name", name, max);
  const nested = await deleteMemberships(rows, datasource, "member_kind = 'group' AND member", name, max - members);
  if (members + nested < max) await markGone(rows, datasource, name);
  return members + nested;
}

/**
 * Marks a group as deleted once its memberships are removed: whatever names it from now on is newer than its deletion.
 */
async function markGone(rows: Rows, datasource: string, name: string): Promise<void> {
  await rows.all(
    "UPDATE datasource_groups SET state = 'deleted' WHERE instance_id = $1 AND datasource = $2 AND name = $3",
    datasource,
    name,
  );
}

async function deleteMemberships(
  rows: Rows,
  datasource: string,
  whose: "group_name" | "member_kind = 'group' AND member" | "member_kind = 'user' AND member",
  name: string,
  max: number,
): Promise<number> {
  if (max <= 0) return 0;
  const gone = await rows.all(
    `DELETE FROM memberships WHERE instance_id = $1 AND (member_kind, member, datasource, group_name) IN (
       SELECT member_kind, member, datasource, group_name FROM memberships
       WHERE instance_id = $1 AND datasource = $2 AND ${whose} = $3 LIMIT $4)
     RETURNING 1`,
    datasource,
    name,
    max,
  );
  await count(rows, datasource, "memberships", -gone.length);
  return gone.length;
}

/** Removes more memberships of deleted groups and users. @returns whether there may be more */
export async function removeLeft(rows: Rows): Promise<boolean> {
  for (let left = MEMBERSHIPS_A_STEP; left > 0; ) {
    const removed = await removeOfNextLeaving(rows, left);
    if (removed === undefined) return left < MEMBERSHIPS_A_STEP;
    // A group or user without memberships costs as much as one membership.
    left -= Math.max(removed, 1);
  }
  return true;
}

/** @returns how many memberships were removed; `undefined` if no group and no user is being deleted */
async function removeOfNextLeaving(rows: Rows, max: number): Promise<number | undefined> {
  const [group] = await rows.all<{ datasource: string; name: string }>(
    "SELECT datasource, name FROM datasource_groups WHERE instance_id = $1 AND state = 'leaving' LIMIT 1",
  );
  if (group) return emptyGroup(rows, group.datasource, group.name, max);
  const [user] = await rows.all<{ datasource: string; member: string }>(
    "SELECT datasource, member FROM leaving_users WHERE instance_id = $1 LIMIT 1",
  );
  return user && removeMembershipsOfUser(rows, user.datasource, user.member, max);
}
