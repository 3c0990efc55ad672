import type { EndReason } from "#grants/ending.ts";
import type { TokenGrant } from "#grants/grant.ts";
import type { Grants } from "#grants/grants.ts";
import type { RequestInstance } from "#instance/request-instance.ts";

/** Ends a grant whose code or refresh token was used twice: one of the two users is a thief (RFC 9700 §4.14.2). */
export async function endCopied(
  grants: Grants,
  { policy }: RequestInstance,
  { id: grantId, personId, clientId }: TokenGrant,
  reason: EndReason,
): Promise<void> {
  await grants.end(policy, { kind: "grant", grantId, personId, clientId }, reason, "authorization-server");
}
