import { noteSingleChange, singleGeneration } from "#documents/generations.ts";
import { count, hasRoom } from "#documents/counts.ts";
import { datasourceFull, type Refused, stillLeaving, unknownGroup } from "#documents/refused.ts";
import type { Store } from "#documents/store.ts";
import { forgetRights } from "#documents/write/documents.ts";
import { generationOf, putDescribed } from "./described.ts";
import {
  deleteMembership,
  deleteMembershipsOfGroup,
  deleteMembershipsOfUser,
  deleteUser,
  emailOfNobodyElse,
  isDescribed,
  isLeaving,
  isUserLeaving,
  leavingGroup,
  leavingUser,
  markGroupGone,
  markGroupLeaving,
  markUserGone,
  markUserLeaving,
  userIdsOf,
} from "./rights.sql.ts";
import type { Described, Membership, RightsChange, RightsOutcome } from "./rights.ts";

/** Memberships that one step removes, which takes a few milliseconds. */
const MEMBERSHIPS_A_STEP = 1000;

/** The most users of one email that one step removes. */
const USERS_A_STEP = 300;

/** Makes a single change by a pipeline, inside the caller's transaction. */
export function changeRights(store: Store, datasource: string, change: RightsChange): RightsOutcome {
  forgetRights(store);
  const generation = singleGeneration(store);
  switch (change.act) {
    case "describe": {
      const { described } = change;
      // Adding the first member to a group that nobody described would silently shut out the directory group's members.
      if (described.kind === "memberships" && !isDescribed(store, datasource, described.membership.groupName))
        return unknownGroup(datasource, described.membership.groupName);
      const leaving = leavingIn(store, datasource, described);
      if (leaving) return leaving;
      const known = generationOf(store, datasource, described);
      if (known === undefined && !hasRoom(store, datasource, described.kind)) return datasourceFull(described.kind);
      putDescribed(store, datasource, described, generation, known);
      return "done";
    }
    case "remove user":
      removeUser(store, datasource, change.userId, MEMBERSHIPS_A_STEP);
      return "done";
    case "remove users":
      return removeUsers(store, datasource, change.email);
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

function removeUsers(store: Store, datasource: string, email: string): "done" | "more" {
  const userIds = userIdsOf(store, datasource, email, USERS_A_STEP);
  const isMore = userIds.length === USERS_A_STEP;
  let left = MEMBERSHIPS_A_STEP;
  for (const userId of isMore ? userIds : [...userIds, email]) {
    left -= removeUser(store, datasource, userId, Math.max(left, 0));
  }
  return isMore ? "more" : "done";
}

/**
 * Removes a user and their memberships. Otherwise, memberships by an id that looks like an email would from then on be those of that
 * email. Memberships by the user's email are also removed, if no other user of the datasource has this email. The rest doesn't count
 * any more and is removed by alarm.
 *
 * @param max how many memberships are removed now
 * @returns how many memberships were removed
 */
export function removeUser(store: Store, datasource: string, userId: string, max: number): number {
  const email = emailOfNobodyElse(store, datasource, userId);
  const members = new Set([userId, ...(email === undefined ? [] : [email])]);
  let memberships = 0;
  for (const member of members) {
    memberships += removeMembershipsOfUser(store, datasource, member, max - memberships);
    noteSingleChange(store, datasource, "users", member);
  }
  count(store, datasource, "users", -deleteUser(store, datasource, userId));
  return memberships;
}

/** Removes a user's memberships, by id or email. @returns how many were removed */
function removeMembershipsOfUser(store: Store, datasource: string, member: string, max: number): number {
  const removed = deleteMembershipsOfUser(store, datasource, member, max);
  count(store, datasource, "memberships", -removed);
  if (removed < max) markUserGone(store, datasource, member);
  else markUserLeaving(store, datasource, member);
  return removed;
}

/**
 * Removes a group. Its row stays, marked, until neither a document nor a membership names it: without the row, the directory's group
 * with that name would see what the datasource's group saw. Nobody is in a marked group. Some of its memberships are removed now and
 * the rest by alarm, so that a large group doesn't make others wait.
 *
 * @param max how many memberships are removed now
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

/** Removes a group's memberships. @returns how many were removed */
function removeMemberships(store: Store, datasource: string, name: string, max: number): number {
  const removed = deleteMembershipsOfGroup(store, datasource, name, max);
  count(store, datasource, "memberships", -removed);
  if (removed < max) markGroupGone(store, datasource, name);
  return removed;
}

/** Checks whether deleted groups or users still have memberships. */
export function areSomeLeaving(store: Store): boolean {
  return (leavingGroup(store) ?? leavingUser(store)) !== undefined;
}

/** Removes more memberships of deleted groups and users. @returns whether there may be more */
export function removeLeft(store: Store): boolean {
  for (let left = MEMBERSHIPS_A_STEP; left > 0; ) {
    const removed = removeOfNextLeaving(store, left);
    if (removed === undefined) return left < MEMBERSHIPS_A_STEP;
    // A group or user without memberships costs as much as one membership.
    left -= Math.max(removed, 1);
  }
  return true;
}

/** Removes memberships of one leaving group or user. @returns how many; `undefined`: nobody is leaving */
function removeOfNextLeaving(store: Store, max: number): number | undefined {
  const group = leavingGroup(store);
  if (group) return removeMemberships(store, group.datasource, group.name, max);
  const user = leavingUser(store);
  return user && removeMembershipsOfUser(store, user.datasource, user.member, max);
}

/**
 * Refuses what may be written only after the memberships of a deleted group or user were removed. Otherwise, a group that is described
 * again would get its old memberships back, and a new membership of the group or user would be removed with the old ones.
 */
export function leavingIn(store: Store, datasource: string, described: Described): Refused | undefined {
  if (described.kind === "users") return undefined;
  const [noun, name] =
    described.kind === "groups"
      ? (["group", described.name] as const)
      : ([described.membership.memberKind, described.membership.member] as const);
  const isGoing = noun === "group" ? isLeaving : isUserLeaving;
  return isGoing(store, datasource, name) ? stillLeaving(noun, name) : undefined;
}

/** Returns the name of a membership for {@link noteSingleChange}. */
export function membershipName({ groupName, memberKind, member }: Membership): string {
  return JSON.stringify([groupName, memberKind, member]);
}
