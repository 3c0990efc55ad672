import type { CompactJwt } from "#crypto/compact-jwt.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { hasBegun, isUnexpired } from "#protocol/numeric-date.ts";
import { refused } from "./asserted-grant.ts";

/** Maximum lifetime of a platform's token. Kubernetes issues tokens for up to a day on request; workloads need no longer ones. */
const LIFETIME_SECONDS_MAX = 24 * 3600;

/**
 * Requires that a platform's token is for this server and currently valid.
 *
 * @returns when it expires
 * @throws {OAuthError} `invalid_grant`
 */
export function requireUsable({ aud, exp, iat, nbf }: CompactJwt["payload"], issuer: string, now: number): number {
  const audiences: readonly unknown[] = [issuer, `${issuer}/`, issuer + ENDPOINTS.token];
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (named.length === 0 || !named.every((audience) => audiences.includes(audience))) {
    throw refused("workload_audience_wrong", `Request the platform's token for the audience ${issuer}, and no other`);
  }
  if (!isUnexpired(exp, now)) {
    throw refused("workload_token_expired", "The platform's token has expired: get a new one");
  }
  if (exp > now + LIFETIME_SECONDS_MAX) {
    throw refused("workload_token_too_long", "The platform's token must expire within a day");
  }
  if (!hasBegun({ iat, nbf }, now)) throw refused("workload_not_yet_valid", "The platform's token is not valid yet");
  return exp;
}
