import { membershipName } from "#documents/rights/change-rights.ts";
import type { Described } from "#documents/rights/described.ts";
import type { Membership, RightsChange, RightsOutcome } from "#documents/rights/rights.ts";
import { count, hasRoom } from "#documents-postgres/counts.ts";
import { noteSingleChange } from "#documents-postgres/single-changes.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";
import { generationOf, isDescribed, leavingIn, putDescribed } from "./described.ts";
import { removeGroup, removeUser } from "./removal.ts";

/** The most memberships that one change removes; the clean-up removes the rest. */
const MEMBERSHIPS_A_CHANGE = 1000;

/** The most users of one email that one change removes. Each takes some statements. */
const USERS_A_CHANGE = 100;

/** Makes a single change for a pipeline. */
export async function changeRights(writing: Writing, datasource: string, change: RightsChange): Promise<RightsOutcome> {
  const { rows } = writing;
  writing.forgetRights();
  const add = async (described: Described): Promise<RightsOutcome> => {
    if ((await leavingIn(rows, datasource, described)) !== undefined) return "leaving";
    const known = await generationOf(rows, datasource, described);
    if (known === undefined && !(await hasRoom(rows, datasource, described.kind))) return "full";
    await putDescribed(writing, datasource, described, writing.generation, known);
    return "done";
  };
  switch (change.act) {
    case "describe user":
      return add({ kind: "users", user: change.user });
    case "describe group":
      return add({ kind: "groups", name: change.name });
    case "add member": {
      const { membership } = change;
      // A group that nobody described is the directory's. If adding a member described it, the directory's members would silently
      // lose it.
      return (await isDescribed(rows, datasource, membership.groupName))
        ? add({ kind: "memberships", membership })
        : "no group";
    }
    case "remove user":
      await removeUser(writing, datasource, change.userId, MEMBERSHIPS_A_CHANGE);
      return "done";
    case "remove users":
      return removeUsers(writing, datasource, change.email);
    case "remove group":
      await removeGroup(writing, datasource, change.name, MEMBERSHIPS_A_CHANGE);
      return "done";
    case "remove member":
    default:
      await removeMembership(writing, datasource, change.membership);
      await noteSingleChange(writing, datasource, "memberships", membershipName(change.membership));
      return "done";
  }
}

async function removeUsers(writing: Writing, datasource: string, email: string): Promise<"done" | "more"> {
  const statement = `SELECT user_id FROM datasource_users WHERE instance_id = $1 AND datasource = $2 AND email = $3 LIMIT ${USERS_A_CHANGE}`;
  const users = await writing.rows.all<{ user_id: string }>(statement, datasource, email);
  const isMore = users.length === USERS_A_CHANGE;
  let left = MEMBERSHIPS_A_CHANGE;
  for (const userId of [...users.map((user) => user.user_id), ...(isMore ? [] : [email])]) {
    left -= await removeUser(writing, datasource, userId, Math.max(left, 0));
  }
  return isMore ? "more" : "done";
}

async function removeMembership({ rows }: Writing, datasource: string, membership: Membership): Promise<void> {
  const gone = await rows.all(
    `DELETE FROM memberships WHERE instance_id = $1 AND datasource = $2 AND member_kind = $3 AND member = $4
       AND group_name = $5 RETURNING 1`,
    datasource,
    membership.memberKind,
    membership.member,
    membership.groupName,
  );
  await count(rows, datasource, "memberships", -gone.length);
}
