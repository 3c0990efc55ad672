import { unmetRequirement } from "#clients/client-requirements.ts";
import type { ClientProof } from "#clients/client.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { OAuthError } from "#protocol/errors.ts";
import { isWithin } from "#protocol/resource-indicator.ts";
import { parseScopes, type Scope } from "#protocol/scopes.ts";
import { isRefreshable, lastUsedAt, type TokenGrant } from "./grant.ts";
import type { CodeClaim, Observation } from "./token-grants.ts";
import type { RefreshTokenClaim } from "./refresh-token.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Why a code was not claimed. `replayed` is the grant to end. */
export interface CodeJudgement {
  readonly refusal: OAuthError;
  readonly replayed?: TokenGrant;
}

/**
 * Tells why a code was not claimed. It is a replay only if everything else about the second redemption is right: somebody who has
 * only a stolen code, and no verifier, must not be able to end the grant of the client that has both (RFC 9700 §2.1.1).
 */
export function judgeCode(claim: CodeClaim, { clientAuthenticated, grant }: Observation, now: number): CodeJudgement {
  if (!clientAuthenticated) return { refusal: refusedClient() };
  if (!grant) return { refusal: refusedGrant("code_unknown") };
  const unmet = unmetRequirement(grant.clientRequirements, claim.keyThumbprint, claim.credentials.proof);
  if (unmet) return { refusal: unmet };
  if (grant.issuer !== claim.issuer) return { refusal: refusedGrant("code_of_another_issuer") };
  if (grant.codeChallenge !== claim.codeChallenge) return { refusal: refusedGrant("code_verifier_wrong") };
  if (claim.redirectUri !== undefined && grant.redirectUri !== claim.redirectUri) {
    return { refusal: refusedGrant("redirect_uri_differs") };
  }
  if (grant.redeemedAt !== null) return { refusal: refusedGrant("code_replayed"), replayed: grant };
  if (grant.revokedAt !== null) return { refusal: refusedGrant("grant_revoked") };
  if (grant.personDeactivatedAt !== null) return { refusal: refusedGrant("person_deactivated") };
  if (grant.codeExpiresAt <= now) return { refusal: refusedGrant("code_expired") };
  if (grant.keyThumbprint !== null && grant.keyThumbprint !== claim.keyThumbprint) {
    return { refusal: refusedKey("code_of_another_key") };
  }
  if (!isWithin(claim.resource ?? grant.resource, grant.resource)) return { refusal: refusedResource(grant.resource) };
  return { refusal: refusedGrant("code_not_claimed") };
}

export type RefreshJudgement =
  /** A parallel refresh, a retry, or another process of the same client: it gets the same successor again. */
  | { readonly verdict: "same-successor"; readonly grant: TokenGrant }
  /** A token older than the previous one, or the previous one used too late: it was copied, so the grant ends. */
  | { readonly verdict: "reused"; readonly grant: TokenGrant; readonly refusal: OAuthError }
  | { readonly verdict: "refused"; readonly refusal: OAuthError };

/** What a refresh asks for, and what it proves. */
interface RefreshWish {
  readonly scopes: readonly Scope[];
  readonly resource: string | undefined;
  readonly keyThumbprint: string | undefined;
  readonly proof: ClientProof | null;
}

/** Tells why a refresh did not rotate the grant, and what to do (OAuth 2.1 §4.3.1, RFC 9700 §4.14.2). */
export function judgeRefresh(
  { clientAuthenticated, grant }: Observation,
  presented: RefreshTokenClaim | undefined,
  { issuer, policy }: RequestInstance,
  wanted: RefreshWish,
  now: number,
): RefreshJudgement {
  const refused = (reason: RefusalReason): RefreshJudgement => ({ verdict: "refused", refusal: refusedGrant(reason) });
  if (!clientAuthenticated) return { verdict: "refused", refusal: refusedClient() };
  if (!presented) return refused("refresh_token_malformed");
  if (!grant) return refused("grant_unknown");
  const unmet = unmetRequirement(grant.clientRequirements, wanted.keyThumbprint, wanted.proof);
  if (unmet) return { verdict: "refused", refusal: unmet };
  if (grant.issuer !== issuer) return refused("refresh_token_of_another_issuer");
  if (grant.revokedAt !== null) return refused("grant_revoked");
  if (grant.redeemedAt === null) return refused("grant_not_redeemed");
  if (grant.expiresAt <= now) return refused("grant_expired");
  // A sender without the key is not the app, and must not be able to end the app's access with an old refresh token either.
  if (!fitsKey(grant.keyThumbprint, wanted)) {
    return { verdict: "refused", refusal: refusedKey("refresh_token_of_another_key") };
  }
  const usedAt = lastUsedAt(grant) ?? 0;
  const isPrevious = presented.generation === grant.generation - 1;
  if (isPrevious && now - usedAt > policy.settings.refreshRepeatSeconds) return reused(grant);
  if (presented.generation < grant.generation - 1) return reused(grant);
  if (presented.generation > grant.generation) return refused("refresh_token_ahead");
  if (!isRefreshable(grant, policy.settings.grantIdleSeconds, now)) return refused("grant_idle");
  if (grant.personDeactivatedAt !== null) return refused("person_deactivated");
  const held = parseScopes(grant.scope);
  if (!wanted.scopes.every((scope) => held.includes(scope))) {
    return { verdict: "refused", refusal: new OAuthError("invalid_scope", { reason: "refresh_scope_wider" }) };
  }
  if (!isWithin(wanted.resource ?? grant.resource, grant.resource)) {
    return { verdict: "refused", refusal: refusedResource(grant.resource) };
  }
  if (!isPrevious) return refused("scopes_no_longer_allowed");
  // The repeat window was shorter when the grant rotated, so a revocation would no longer be published for as long as new tokens live.
  if (grant.tokensUntil <= now) return refused("refresh_repeated_beyond_tokens");
  return { verdict: "same-successor", grant };
}

/**
 * Checks whether a refresh may continue with its key (RFC 9449 §5). A bound grant stays bound, for a public client to the same
 * key. A client that authenticates itself may use another key, because its authentication already binds its refresh tokens to it.
 */
function fitsKey(bound: string | null, { keyThumbprint, proof }: RefreshWish): boolean {
  return bound === null || bound === keyThumbprint || (proof !== null && keyThumbprint !== undefined);
}

function refusedKey(reason: RefusalReason): OAuthError {
  return new OAuthError("invalid_grant", {
    reason,
    description: "The code or refresh token is bound to a key: send a DPoP proof that is signed by this key",
  });
}

function reused(grant: TokenGrant): RefreshJudgement {
  return { verdict: "reused", grant, refusal: refusedGrant("refresh_token_reused") };
}

function refusedGrant(reason: RefusalReason): OAuthError {
  return new OAuthError("invalid_grant", { reason });
}

function refusedResource(granted: string): OAuthError {
  return new OAuthError("invalid_target", {
    reason: "resource_beyond_grant",
    description: `The grant is for ${granted}: request that, or a resource below it`,
  });
}

function refusedClient(): OAuthError {
  return new OAuthError("invalid_client", { reason: "client_not_authenticated" });
}
