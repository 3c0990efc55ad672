import { ApiError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { claimedKind, type ServiceTokenKind } from "./service-token.ts";

const DESCRIPTIONS = {
  service_token_malformed: "this is not a token issued by this service",
  service_token_unknown: "this is not a token issued by this service",
  service_token_expired: "the token has expired; ask an administrator for a new one",
  service_token_revoked: "the token was revoked; ask an administrator for a new one",
  service_token_replaced: "the token has a new secret; use that one, or ask an administrator to rotate the token again",
  // The networks are not named, because that would tell a thief where to go.
  service_token_outside_networks:
    "the token can't be used from this network; ask an administrator which networks are allowed",
} as const satisfies Partial<Record<RefusalReason, string>>;

/** Why a text is not a token that may be used here, for the log and for telling the caller what to do. */
export type WhyRefused = keyof typeof DESCRIPTIONS | "service_token_wrong_kind";

const API_OF: Readonly<Record<ServiceTokenKind, string>> = {
  "client-api": "the Client API",
  indexing: "the Indexing API",
  admin: "the Admin API",
  scim: "SCIM",
};

/**
 * Returns the error for a refused token.
 *
 * @param token the presented text
 * @param kind the kind that the API accepts
 */
export function refusedServiceToken(why: WhyRefused, token: string, kind: ServiceTokenKind): ApiError {
  const description =
    why === "service_token_wrong_kind" ? otherKind(claimedKind(token) ?? kind, kind) : DESCRIPTIONS[why];
  return new ApiError("invalid_secret", {
    reason: why,
    description: `Invalid secret: ${description}`,
  });
}

function otherKind(presented: ServiceTokenKind, wanted: ServiceTokenKind): string {
  return `this token is for ${API_OF[presented]}; ${API_OF[wanted]} needs its own kind of token`;
}
