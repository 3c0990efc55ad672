import type { D1TokenGrants } from "#grants/token-grants.d1.ts";
import { hashToken, randomId, randomSecret } from "#crypto/secrets.ts";
import type { AssertedGrant } from "#grants/token-grants.ts";
import { ApiError, OAuthError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { narrowScopes, type Scope } from "#protocol/scopes.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { GrantRequest, Outcome } from "./grant-type.ts";

/**
 * Writes a grant for a signed assertion or an exchanged token, without a code.
 *
 * @throws {OAuthError} `invalid_grant` if the client or the person may not have the grant
 */
export async function addAssertedGrant(
  tokenGrants: D1TokenGrants,
  { instance: { issuer, policy }, credentials, keyThumbprint, now }: GrantRequest,
  asserted: Pick<AssertedGrant, "personId" | "scope" | "resource" | "assertedBy" | "basis"> &
    Partial<Pick<AssertedGrant, "signedInAt" | "exchanged" | "tokensUntil">>,
): Promise<Outcome> {
  const grant = await tokenGrants.addAsserted({
    signedInAt: now,
    exchanged: null,
    tokensUntil: now + policy.settings.accessTokenLifetimeSeconds,
    ...asserted,
    credentials,
    keyThumbprint,
    id: randomId(),
    instanceId: policy.instanceId,
    issuer,
    codeHash: await hashToken(randomSecret()),
    createdAt: now,
  });
  if (grant) return { grant };
  throw refused(
    "asserted_grant_not_made",
    asserted.basis
      ? "The client, the person or the issuer has just changed, or the person has connected too many apps"
      : "The service account has just lost access, or got too many tokens",
  );
}

/** Returns the requested ones of the scopes that are allowed. @throws {OAuthError} `invalid_scope` if there are none */
export function requireScope(parameters: Parameters, allowed: readonly Scope[]): string {
  const granted = narrowScopes(parameters.one("scope") ?? allowed.join(" "), allowed);
  if (granted.length === 0) throw new OAuthError("invalid_scope", { reason: "scope_empty" });
  return granted.join(" ");
}

/** What is missing from a request whose assertion is bound to a key. */
export const PROOF_REQUIRED =
  "Proof of possession required: send a DPoP proof by the key that the assertion names (cnf)";

/** Makes the refusal of an invalid assertion (RFC 7523 §3.1). */
export function refused(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError("invalid_grant", { reason, description });
}

/**
 * Turns refusals of shared Client API checks into the token endpoint's errors.
 *
 * @param refusal the error of everything that isn't an outage (RFC 7523 §3.1, RFC 8693 §2.2.2)
 */
export async function asGrantError<Result>(
  work: () => Result | Promise<Result>,
  refusal: "invalid_grant" | "invalid_request" = "invalid_grant",
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { reason, description, retryAfterSeconds, cause } = error;
    const code = error.code === "temporarily_unavailable" ? "temporarily_unavailable" : refusal;
    const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    throw new OAuthError(code, { reason, description, cause, ...retry });
  }
}
