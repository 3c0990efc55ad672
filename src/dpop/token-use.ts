import { ApiError } from "#protocol/errors.ts";

/** How an access token is sent: what it is bound to decides which of the two is right. */
export type TokenScheme = "Bearer" | "DPoP";

/**
 * Requires that a token is sent as what it is. A bound one that was taken as a bearer token would be worth something to whoever copies
 * it (RFC 9449 §7.2); one that is bound to nothing gains nothing by a proof of any key.
 *
 * @param boundTo the thumbprint of the token's key, where it has one
 * @throws {ApiError} `invalid_token`
 */
export function requireScheme(scheme: TokenScheme, boundTo: string | undefined): void {
  if (boundTo !== undefined && scheme === "Bearer") {
    throw new ApiError("invalid_token", {
      reason: "token_bound_sent_as_bearer",
      description:
        "The access token is bound to a key: send it as Authorization: DPoP <token>, with a proof in the header DPoP",
    });
  }
  if (boundTo === undefined && scheme === "DPoP") {
    throw new ApiError("invalid_token", {
      reason: "token_not_bound",
      description: "The token is bound to no key: send it as Authorization: Bearer <token>",
    });
  }
}
