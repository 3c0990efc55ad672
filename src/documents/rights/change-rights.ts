import { count, hasRoom } from "#documents/counts.ts";
import { noteSingleChange, singleGeneration } from "#documents/generations.ts";
import { moveState, stateOf } from "#documents/state.ts";
import type { Store } from "#documents/store.ts";
import { forgetRights } from "#documents/write/documents.ts";
import { type Described, generationOf, putDescribed } from "./described.ts";
import {
  deleteMembership,
  deleteMembershipsOfGroup,
  deleteMembershipsOfUser,
  deleteUser,
  deletedWithMemberships,
  emailOfNobodyElse,
  isDescribed,
  markGroupDeleted,
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
    const known = generationOf(store, datasource, described);
    if (known === undefined && !hasRoom(store, datasource, described.kind)) return "full";
    putDescribed(store, datasource, described, generation, known);
    return "done";
  };
  switch (change.act) {
    case "describe user":
      return add({ kind: "users", user: change.user });
    case "describe group":
      if (isLeaving(store, datasource, change.name)) return "leaving";
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
 */
export function removeUser(store: Store, datasource: string, userId: string): void {
  const email = emailOfNobodyElse(store, datasource, userId);
  const members = new Set([userId, ...(email === undefined ? [] : [email])]);
  for (const member of members) {
    count(store, datasource, "memberships", -deleteMembershipsOfUser(store, datasource, member));
    noteSingleChange(store, datasource, "users", member);
  }
  count(store, datasource, "users", -deleteUser(store, datasource, userId));
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
  if (markGroupDeleted(store, datasource, name, generation)) removeMemberships(store, datasource, name, max);
}

function removeMemberships(store: Store, datasource: string, name: string, max: number): void {
  const removed = deleteMembershipsOfGroup(store, datasource, name, max);
  count(store, datasource, "memberships", -removed);
  if (removed === max && stateOf(store, "leaving") === 0) moveState(store, "leaving", 1);
}

/** Removes more of what deleted groups left. @returns whether there is more */
export function removeLeft(store: Store): boolean {
  if (stateOf(store, "leaving") === 0) return false;
  const group = deletedWithMemberships(store);
  if (group) removeMemberships(store, group.datasource, group.name, MEMBERSHIPS_A_STEP);
  else moveState(store, "leaving", -1);
  return true;
}

/** Whether a group is deleted and not all of its memberships are gone: described now, it would have these again. */
export function isLeaving(store: Store, datasource: string, name: string): boolean {
  return stateOf(store, "leaving") !== 0 && deletedWithMemberships(store, datasource, name) !== undefined;
}

/** How {@link noteSingleChange} names a membership. */
export function membershipName({ groupName, memberKind, member }: Membership): string {
  return JSON.stringify([groupName, memberKind, member]);
}
