import { count, hasRoom } from "#documents/counts.ts";
import { noteSingleChange, singleGeneration } from "#documents/generations.ts";
import type { Store } from "#documents/store.ts";
import { forgetRights } from "#documents/write/documents.ts";
import { type Described, generationOf, putDescribed } from "./described.ts";
import {
  deleteMembership,
  deleteMembershipsOfGroup,
  deleteMembershipsOfUser,
  deleteUser,
  emailOfNobodyElse,
  isDescribed,
  isLeaving,
  leavingGroup,
  markGroupGone,
  markGroupLeaving,
  userIdsOf,
} from "./rights.sql.ts";
import type { Membership, RightsChange, RightsOutcome } from "./rights.ts";

/** Memberships that one step removes: a few milliseconds. */
const MEMBERSHIPS_A_STEP = 1000;

/** Makes one change that a pipeline asked for singly, inside the caller's transaction. */
export function changeRights(store: Store, datasource: string, change: RightsChange): RightsOutcome {
  forgetRights(store);
  const generation = singleGeneration(store);
  const add = (described: Described): RightsOutcome => {
    if (leavingGroupIn(store, datasource, described) !== undefined) return "leaving";
    const known = generationOf(store, datasource, described);
    if (known === undefined && !hasRoom(store, datasource, described.kind)) return "full";
    putDescribed(store, datasource, described, generation, known);
    return "done";
  };
  switch (change.act) {
    case "describe user":
      return add({ kind: "users", user: change.user });
    case "describe group":
      return add({ kind: "groups", name: change.name });
    case "add member": {
      const { membership } = change;
      // The first member of a group that nobody described would shut the directory's out, silently.
      return isDescribed(store, datasource, membership.groupName)
        ? add({ kind: "memberships", membership })
        : "no group";
    }
    case "remove user":
      removeUser(store, datasource, change.userId);
      return "done";
    case "remove users":
      for (const userId of userIdsOf(store, datasource, change.email)) removeUser(store, datasource, userId);
      removeUser(store, datasource, change.email);
      return "done";
    case "remove group":
      removeGroup(store, datasource, change.name, generation);
      return "done";
    case "remove member":
    default:
      count(store, datasource, "memberships", -deleteMembership(store, datasource, change.membership));
      noteSingleChange(store, datasource, "memberships", membershipName(change.membership));
      return "done";
  }
}

/**
 * Memberships go with the user: one of an id that looks like an email would otherwise be that email's from then on. So do those
 * that name the user's email, where no other user of the datasource has it.
 *
 * @returns how many memberships
 */
export function removeUser(store: Store, datasource: string, userId: string): number {
  const email = emailOfNobodyElse(store, datasource, userId);
  const members = new Set([userId, ...(email === undefined ? [] : [email])]);
  let memberships = 0;
  for (const member of members) {
    memberships += deleteMembershipsOfUser(store, datasource, member);
    noteSingleChange(store, datasource, "users", member);
  }
  count(store, datasource, "memberships", -memberships);
  count(store, datasource, "users", -deleteUser(store, datasource, userId));
  return memberships;
}

/**
 * The group's row stays, marked, until neither a document nor a membership names it: without it the directory's group of that
 * name would see what the datasource's group saw. Nobody is in a group that is marked; of its memberships some go now and the rest
 * by alarm, so that a large group holds nobody up.
 *
 * @param max memberships that go now
 */
export function removeGroup(
  store: Store,
  datasource: string,
  name: string,
  generation: number,
  max = MEMBERSHIPS_A_STEP,
): void {
  if (markGroupLeaving(store, datasource, name, generation)) removeMemberships(store, datasource, name, max);
}

/** @returns how many went */
function removeMemberships(store: Store, datasource: string, name: string, max: number): number {
  const removed = deleteMembershipsOfGroup(store, datasource, name, max);
  count(store, datasource, "memberships", -removed);
  if (removed < max) markGroupGone(store, datasource, name);
  return removed;
}

/** Removes more of what deleted groups left. @returns whether there may be more */
export function removeLeft(store: Store): boolean {
  for (let left = MEMBERSHIPS_A_STEP; left > 0; ) {
    const group = leavingGroup(store);
    if (!group) return left < MEMBERSHIPS_A_STEP;
    // A group without memberships costs as much as one.
    left -= Math.max(removeMemberships(store, group.datasource, group.name, left), 1);
  }
  return true;
}

/**
 * The group that has to be gone before this is written: described now, a leaving group would have its old memberships again, and
 * what makes it a member of another would be removed with these.
 */
export function leavingGroupIn(store: Store, datasource: string, described: Described): string | undefined {
  const name = groupIn(described);
  return name !== undefined && isLeaving(store, datasource, name) ? name : undefined;
}

function groupIn(described: Described): string | undefined {
  if (described.kind === "groups") return described.name;
  if (described.kind === "users" || described.membership.memberKind === "user") return undefined;
  return described.membership.member;
}

/** How {@link noteSingleChange} names a membership. */
export function membershipName({ groupName, memberKind, member }: Membership): string {
  return JSON.stringify([groupName, memberKind, member]);
}
