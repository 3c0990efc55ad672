import { count, hasRoom } from "#documents/counts.ts";
import { noteSingleChange, singleGeneration } from "#documents/generations.ts";
import { datasourceFull, unknownGroup } from "#documents/refused.ts";
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
  markGroupDeleted,
  userIdsOf,
} from "./rights.sql.ts";
import type { Membership, RightsChange, RightsOutcome } from "./rights.ts";

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
      const known = generationOf(store, datasource, described);
      if (known === undefined && !hasRoom(store, datasource, described.kind)) return datasourceFull(described.kind);
      putDescribed(store, datasource, described, generation, known);
      return "done";
    }
    case "remove user":
      return isCutShort(removeUser(store, datasource, change.userId, MEMBERSHIPS_A_STEP));
    case "remove users":
      return removeUsers(store, datasource, change.email);
    case "remove group":
      return isCutShort(removeGroup(store, datasource, change.name, generation, MEMBERSHIPS_A_STEP));
    case "remove member":
    default:
      count(store, datasource, "memberships", -deleteMembership(store, datasource, change.membership));
      noteSingleChange(store, datasource, "memberships", membershipName(change.membership));
      return "done";
  }
}

function isCutShort(memberships: number): "done" | "more" {
  return memberships === MEMBERSHIPS_A_STEP ? "more" : "done";
}

function removeUsers(store: Store, datasource: string, email: string): "done" | "more" {
  const userIds = userIdsOf(store, datasource, email, USERS_A_STEP);
  const isMore = userIds.length === USERS_A_STEP;
  let left = MEMBERSHIPS_A_STEP;
  for (const userId of isMore ? userIds : [...userIds, email]) {
    left -= removeUser(store, datasource, userId, left);
    if (left === 0) return "more";
  }
  return isMore ? "more" : "done";
}

/**
 * Removes a user and their memberships. Otherwise, memberships by an id that looks like an email would from then on be those of that
 * email. Memberships by the user's email are also removed, if no other user of the datasource has this email.
 *
 * @param max how many memberships are removed now
 * @returns how many memberships were removed; `max`: there may be more, and the user is still there
 */
export function removeUser(store: Store, datasource: string, userId: string, max: number): number {
  const email = emailOfNobodyElse(store, datasource, userId);
  const members = new Set([userId, ...(email === undefined ? [] : [email])]);
  let removed = 0;
  for (const member of members) removed += deleteMembershipsOfUser(store, datasource, member, max - removed);
  count(store, datasource, "memberships", -removed);
  if (removed === max) return removed;
  for (const member of members) noteSingleChange(store, datasource, "users", member);
  count(store, datasource, "users", -deleteUser(store, datasource, userId));
  return removed;
}

/**
 * Removes a group and its memberships. Its row stays, marked, until neither a document nor a membership names it: without the row, the
 * directory's group with that name would see what the datasource's group saw. Nobody is in a marked group. One that was never described
 * stays the directory's.
 *
 * @param max how many memberships are removed now
 * @returns how many memberships were removed; `max`: there may be more, and the group is still there
 */
export function removeGroup(store: Store, datasource: string, name: string, generation: number, max: number): number {
  if (generationOf(store, datasource, { kind: "groups", name }) === undefined) return 0;
  const removed = deleteMembershipsOfGroup(store, datasource, name, max);
  count(store, datasource, "memberships", -removed);
  if (removed < max) markGroupDeleted(store, datasource, name, generation);
  return removed;
}

/** Returns the name of a membership for {@link noteSingleChange}. */
export function membershipName({ groupName, memberKind, member }: Membership): string {
  return JSON.stringify([groupName, memberKind, member]);
}
