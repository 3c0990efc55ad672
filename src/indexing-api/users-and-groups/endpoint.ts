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

/** The calls about users, groups and memberships, by the last part of their path. */
export const userAndGroupCalls = {
  indexuser: changing(userDescription, ({ user }) => ({ act: "describe", described: { kind: "users", user } })),
  /** By id, or by email for all users that have it. */
  deleteuser: changing(userDeletion, ({ userId, email = "" }) =>
    userId === undefined ? { act: "remove users", email } : { act: "remove user", userId },
  ),
  /** From then on, the group has the members that the pipeline names, and not the directory's. */
  indexgroup: changing(groupDescription, ({ group }) => ({
    act: "describe",
    described: { kind: "groups", name: group },
  })),
  /** From then on, nobody is in the group. */
  deletegroup: changing(groupDeletion, ({ groupName }) => ({ act: "remove group", name: groupName })),
  /** A member group that isn't described is the directory's. */
  indexmembership: changing(membershipDescription, ({ membership }) => ({
    act: "describe",
    described: { kind: "memberships", membership },
  })),
  /** Succeeds if there is no such membership. */
  deletemembership: changing(membershipDescription, ({ membership }) => ({ act: "remove member", membership })),
  /** Memberships take effect at once, so there is nothing to process. */
  processallmemberships: indexingCall(readProcessing, async () => undefined),
};

function changing<const Schema extends v.GenericSchema<unknown, { readonly datasource: string }>>(
  schema: Schema,
  changeOf: (request: v.InferOutput<Schema>) => RightsChange,
) {
  return indexingCall(covered(schema), async ({ documents }, instanceId, request) => {
    const outcome = await documents.changeRights(instanceId, request.datasource, changeOf(request));
    if (typeof outcome === "object") throw refusedBy(outcome);
  });
}
