import { ApiError } from "#protocol/errors.ts";
import { hasBegun } from "#protocol/numeric-date.ts";

/**
 * Requires that a token is already valid (RFC 7519 §4.1.5, §4.1.6). Its expiry is checked on every request, its beginning once.
 *
 * @param toleranceSeconds the most that the issuer's clock may be ahead
 * @throws {ApiError} `invalid_token`
 */
export function requireBegun(claims: Readonly<Record<string, unknown>>, now: number, toleranceSeconds: number): void {
  if (!hasBegun(claims, now, toleranceSeconds)) throw notYetValid();
}

export function notYetValid(): ApiError {
  return new ApiError("invalid_token", {
    reason: "token_not_yet_valid",
    description: "The access token is not valid yet: check the clock of the server that issued it",
  });
}
