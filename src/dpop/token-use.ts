import { ApiError } from "#protocol/errors.ts";
import type { Settings } from "#settings/settings.ts";

/** The scheme that an access token is sent with: DPoP if it is bound to a key, otherwise Bearer. */
export type TokenScheme = "Bearer" | "DPoP";

/**
 * Requires the right scheme for a token. If a bound token were accepted as a bearer token, a stolen copy would work
 * (RFC 9449 §7.2); for an unbound token, a proof shows nothing.
 *
 * @param boundTo the thumbprint of the token's key, if it is bound
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

/** Checks whether access tokens that are not bound to a key are refused, because those of all apps must be bound. */
export function mustBeBound({ appRequirements }: Pick<Settings, "appRequirements">): boolean {
  return appRequirements.includes("dpop");
}
