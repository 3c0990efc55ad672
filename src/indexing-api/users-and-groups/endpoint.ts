import type { RightsChange } from "#documents/rights/rights.ts";
import { indexingCall } from "#indexing-api/indexing-call-endpoint.ts";
import { refusedBy } from "#indexing-api/refusals.ts";
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
export const indexUserEndpoint = changing(userDescription, ({ user }) => ({ act: "describe user", user }));

/** POST …/deleteuser, by id, or by email for all users that have it. */
export const deleteUserEndpoint = changing(userDeletion, ({ userId, email = "" }) =>
  userId === undefined ? { act: "remove users", email } : { act: "remove user", userId },
);

/** POST …/indexgroup: from then on, the group has the members that the pipeline names, and not the directory's. */
export const indexGroupEndpoint = changing(groupDescription, ({ group }) => ({
  act: "describe group",
  name: group,
}));

/** POST …/deletegroup: from then on, nobody is in the group. */
export const deleteGroupEndpoint = changing(groupDeletion, ({ groupName }) => ({
  act: "remove group",
  name: groupName,
}));

/** POST …/indexmembership. A member group that isn't described is the directory's. */
export const indexMembershipEndpoint = changing(membershipDescription, ({ membership }) => ({
  act: "add member",
  membership,
}));

/** POST …/deletemembership. Succeeds if there is no such membership. */
export const deleteMembershipEndpoint = changing(membershipDescription, ({ membership }) => ({
  act: "remove member",
  membership,
}));

/** POST …/processallmemberships. Memberships take effect at once, so there is nothing to process. */
export const processAllMembershipsEndpoint = indexingCall(readProcessing, async () => undefined);

function changing<const Schema extends v.GenericSchema<unknown, { readonly datasource: string }>>(
  schema: Schema,
  changeOf: (request: v.InferOutput<Schema>) => RightsChange,
) {
  return indexingCall(covered(schema), async ({ documents }, instanceId, request) => {
    const outcome = await documents.changeRights(instanceId, request.datasource, changeOf(request));
    if (typeof outcome === "object") throw refusedBy(outcome);
  });
}
