import type { Kind } from "#documents/generations.ts";
import { memberOf } from "#documents/rights/change-rights.ts";
import type { RightsChange } from "#documents/rights/rights.ts";
import { indexingCall } from "#indexing-api/indexing-call-endpoint.ts";
import { datasourceFull, noSuchGroup, stillLeaving } from "#indexing-api/refusals.ts";
import { covered } from "#indexing-api/request.ts";
import * as v from "valibot";
import {
  groupDeletion,
  groupDescription,
  membershipDescription,
  readProcessing,
  userDeletion,
  userDescription,
} from "./requests.ts";

/** POST …/indexuser */
export const indexUserEndpoint = changing(userDescription, "users", ({ user }) => ({ act: "describe user", user }));

/** POST …/deleteuser, by id, or by email for all users that have it. */
export const deleteUserEndpoint = changing(userDeletion, "users", ({ userId, email = "" }) =>
  userId === undefined ? { act: "remove users", email } : { act: "remove user", userId },
);

/** POST …/indexgroup: from then on, the group has the members that the pipeline names, and not the directory's. */
export const indexGroupEndpoint = changing(groupDescription, "groups", ({ group }) => ({
  act: "describe group",
  name: group,
}));

/** POST …/deletegroup: from then on, nobody is in the group. */
export const deleteGroupEndpoint = changing(groupDeletion, "groups", ({ groupName }) => ({
  act: "remove group",
  name: groupName,
}));

/** POST …/indexmembership. A member group that isn't described is the directory's. */
export const indexMembershipEndpoint = changing(membershipDescription, "memberships", ({ membership }) => ({
  act: "add member",
  membership,
}));

/** POST …/deletemembership. Succeeds if there is no such membership. */
export const deleteMembershipEndpoint = changing(membershipDescription, "memberships", ({ membership }) => ({
  act: "remove member",
  membership,
}));

/** POST …/processallmemberships. Memberships take effect at once, so there is nothing to process. */
export const processAllMembershipsEndpoint = indexingCall(readProcessing, async () => undefined);

function changing<const Schema extends v.GenericSchema<unknown, { readonly datasource: string }>>(
  schema: Schema,
  kind: Kind,
  changeOf: (request: v.InferOutput<Schema>) => RightsChange,
) {
  return indexingCall(covered(schema), async ({ documents }, instanceId, request) => {
    const change = changeOf(request);
    const outcome = await documents.changeRights(instanceId, request.datasource, change);
    if (outcome === "leaving" && change.act === "describe group") {
      throw stillLeaving({ noun: "group", name: change.name });
    }
    if (outcome === "leaving" && change.act === "add member") throw stillLeaving(memberOf(change.membership));
    if (outcome === "full") throw datasourceFull(kind);
    if (outcome === "no group" && change.act === "add member") {
      throw noSuchGroup(request.datasource, change.membership.groupName);
    }
  });
}
