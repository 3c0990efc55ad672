import { hashToken } from "#crypto/hash.ts";
import { randomId, randomSecret } from "#crypto/random.ts";
import type { TokenGrant } from "#grants/grant.ts";
import type { AssertedGrant, TokenGrants } from "#grants/token-grants.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError, OAuthError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/**
 * Writes a grant for a signed assertion, without a code.
 *
 * @param whyNot the refusal's description if no grant is written
 * @throws {OAuthError} `invalid_grant` if the client or the person may not have the grant
 */
export async function addAssertedGrant(
  grants: TokenGrants,
  { issuer, policy }: RequestInstance,
  asserted: Pick<
    AssertedGrant,
    "credentials" | "personId" | "scope" | "resource" | "assertedBy" | "basis" | "keyThumbprint"
  >,
  now: number,
  whyNot: string,
): Promise<TokenGrant> {
  const grant = await grants.addAsserted({
    ...asserted,
    id: randomId(),
    instanceId: policy.instanceId,
    issuer,
    codeHash: await hashToken(randomSecret()),
    createdAt: now,
    tokensUntil: now + policy.settings.accessTokenLifetimeSeconds,
  });
  if (grant) return grant;
  throw refused("asserted_grant_not_made", whyNot);
}

/** What is missing from a request whose assertion is bound to a key. */
export const PROOF_REQUIRED =
  "Proof of possession required: send a DPoP proof by the key that the assertion names (cnf)";

/** Makes the refusal of an invalid assertion (RFC 7523 §3.1). */
export function refused(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError("invalid_grant", { reason, description });
}

/** Turns refusals of shared Client API checks into the token endpoint's errors (RFC 7523 §3.1). */
export async function asGrantError<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { reason, description, retryAfterSeconds, cause } = error;
    const code = error.code === "temporarily_unavailable" ? "temporarily_unavailable" : "invalid_grant";
    const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    throw new OAuthError(code, { reason, description, cause, ...retry });
  }
}
