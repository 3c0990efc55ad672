import { count } from "#documents-postgres/counts.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { noteSingleChange } from "#documents-postgres/single-changes.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";

/** Memberships that one step of the clean-up removes. */
const MEMBERSHIPS_A_STEP = 1000;

/**
 * Memberships go with the user: one of an id that looks like an email would otherwise be that email's from then on. So do those
 * that name the user's email, where no other user of the datasource has it. The rest no longer counts and goes with the clean-up.
 *
 * @param max memberships that go now
 * @returns how many memberships
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

/** The email of a user that no other user of the datasource has, as email or as id. */
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

/** @returns how many went */
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
 * The group's row stays, marked, until neither a document nor a membership names it: without it the directory's group of that
 * name would see what the datasource's group saw. Nobody is in a group that is marked; of its memberships some go now and the rest
 * with the clean-up. One that was never described is the directory's, and stays so.
 *
 * @param max memberships that go now
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

/** Empties a group that leaves, and then takes it out of others. @returns how many memberships went */
async function emptyGroup(rows: Rows, datasource: string, name: string, max: number): Promise<number> {
  const members = await deleteMemberships(rows, datasource, "group_name", name, max);
  const nested = await deleteMemberships(rows, datasource, "member_kind = 'group' AND member", name, max - members);
  if (members + nested < max) await markGone(rows, datasource, name);
  return members + nested;
}

/** Marks a leaving group as gone: what names it from now on came after its deletion. */
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

/** Removes more of what deleted groups and users left. @returns whether there may be more */
export async function removeLeft(rows: Rows): Promise<boolean> {
  for (let left = MEMBERSHIPS_A_STEP; left > 0; ) {
    const removed = await removeOfNextLeaving(rows, left);
    if (removed === undefined) return left < MEMBERSHIPS_A_STEP;
    // One without memberships costs as much as a membership.
    left -= Math.max(removed, 1);
  }
  return true;
}

/** @returns how many memberships went; `undefined`: nobody is leaving */
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
