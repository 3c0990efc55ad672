import { count, hasRoom } from "#documents/counts.ts";
import { type Kind, noteSingleChange, singleGeneration } from "#documents/generations.ts";
import type { Store } from "#documents/store.ts";
import { forgetRights } from "#documents/write/documents.ts";
import {
  deleteMembership,
  deleteMembershipsOfGroup,
  deleteMembershipsOfUser,
  deleteUser,
  emailOfNobodyElse,
  groupGeneration,
  isDescribed,
  markGroupDeleted,
  membershipGeneration,
  putGroup,
  putMembership,
  putUser,
  userGeneration,
  userIdsOf,
} from "./rights.sql.ts";
import type { Membership, RightsChange, RightsOutcome } from "./rights.ts";

/** Makes one change that a pipeline asked for singly, inside the caller's transaction. */
export function changeRights(store: Store, datasource: string, change: RightsChange): RightsOutcome {
  forgetRights(store);
  const generation = singleGeneration(store);
  const add = (kind: Kind, known: number | undefined, write: () => void): RightsOutcome => {
    if (known === undefined && !hasRoom(store, datasource, kind)) return "full";
    if (known === undefined) count(store, datasource, kind, 1);
    write();
    return "done";
  };
  switch (change.act) {
    case "describe user": {
      const { user } = change;
      const known = userGeneration(store, datasource, user.userId);
      return add("users", known, () => putUser(store, datasource, user, generation));
    }
    case "describe group": {
      const { name } = change;
      const known = groupGeneration(store, datasource, name);
      return add("groups", known, () => putGroup(store, datasource, name, generation));
    }
    case "add member": {
      const { membership } = change;
      // The first member of a group that nobody described would shut the directory's out, silently.
      if (!isDescribed(store, datasource, membership.groupName)) return "no group";
      const known = membershipGeneration(store, datasource, membership);
      return add("memberships", known, () => putMembership(store, datasource, membership, generation));
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
 * name would see what the datasource's group saw.
 */
export function removeGroup(store: Store, datasource: string, name: string, generation: number): void {
  if (!markGroupDeleted(store, datasource, name, generation)) return;
  count(store, datasource, "memberships", -deleteMembershipsOfGroup(store, datasource, name));
}

/** How {@link noteSingleChange} names a membership. */
export function membershipName({ groupName, memberKind, member }: Membership): string {
  return JSON.stringify([groupName, memberKind, member]);
}
