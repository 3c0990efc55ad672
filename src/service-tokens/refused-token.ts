import { ApiError } from "#protocol/errors.ts";
import type { ServiceTokenKind } from "./service-token.ts";

/** Why a text is no token that may be used here; for the log, and for telling the caller what to do. */
export type WhyRefused =
  | "malformed"
  | "wrong_kind"
  | "unknown"
  | "expired"
  | "revoked"
  | "replaced"
  | "outside_networks";

const DESCRIPTIONS: Readonly<Record<Exclude<WhyRefused, "wrong_kind">, string>> = {
  malformed: "this is not a token issued by this service",
  unknown: "this is not a token issued by this service",
  expired: "the token has expired; ask an administrator for a new one",
  revoked: "the token was revoked; ask an administrator for a new one",
  replaced: "the token has a new secret; use that one, or ask an administrator to rotate the token again",
  // Which networks would tell a thief where to go.
  outside_networks: "the token may not be used from this network; ask an administrator which ones it is for",
};

const OTHER_KIND: Readonly<Record<ServiceTokenKind, string>> = {
  "client-api": "this token is for the Indexing API; the Client API needs one of its own kind",
  indexing: "this token is for the Client API; the Indexing API needs an indexing token",
};

/** @param kind the kind that the API takes */
export function refusedServiceToken(why: WhyRefused, kind: ServiceTokenKind): ApiError {
  const description = why === "wrong_kind" ? OTHER_KIND[kind] : DESCRIPTIONS[why];
  return new ApiError("invalid_secret", {
    reason: `service_token_${why}`,
    description: `Invalid secret: ${description}`,
  });
}
