import { indexingCall } from "#indexing-api/indexing-call-endpoint.ts";

type Call = "indexUser" | "deleteUser" | "indexGroup" | "deleteGroup" | "indexMembership" | "deleteMembership";

function describing(call: Call) {
  return indexingCall(async ({ peopleAndGroups }, { instanceId, body, requireCoverage }) => {
    await peopleAndGroups[call](instanceId, body, requireCoverage);
    return { success: true };
  });
}

/** POST …/indexuser */
export const indexUserEndpoint = describing("indexUser");

/** POST …/deleteuser */
export const deleteUserEndpoint = describing("deleteUser");

/** POST …/indexgroup */
export const indexGroupEndpoint = describing("indexGroup");

/** POST …/deletegroup */
export const deleteGroupEndpoint = describing("deleteGroup");

/** POST …/indexmembership */
export const indexMembershipEndpoint = describing("indexMembership");

/** POST …/deletemembership */
export const deleteMembershipEndpoint = describing("deleteMembership");
