import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";
import { ApiError } from "#protocol/errors.ts";
import { refusedServiceToken } from "#service-tokens/refused-token.ts";
import type { ServiceToken } from "#service-tokens/service-token.ts";
import type { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { Credentials } from "./credentials.ts";
import { foundOf, type PresentedServiceToken, SERVICE_TOKEN_STEPS } from "./service-token-steps.ts";
import { passSteps } from "./steps.ts";

/** The credentials of a request that the gate reads. */
export type ServiceTokenCredentials = Pick<Credentials, "token" | "address" | "waitUntil">;

/** The APIs that accept one kind of token: what a token is called, and how an OAuth token is refused. */
const APIS = {
  indexing: { api: "The Indexing API", needed: "an indexing token", reason: "jwt_on_indexing_api" },
  admin: { api: "The Admin API", needed: "an admin token", reason: "jwt_on_admin_api" },
  scim: { api: "SCIM", needed: "a SCIM token", reason: "jwt_on_scim" },
} as const;

/**
 * Verifies the token of a program that calls an API which accepts only service-issued tokens of one kind, and never OAuth.
 *
 * @returns the token; each call checks itself what it covers
 * @throws {ApiError} 401, whatever is wrong
 */
export async function requireServiceToken(
  tokens: ServiceTokens,
  kind: keyof typeof APIS,
  { policy }: RequestInstance,
  { token, address, waitUntil }: ServiceTokenCredentials,
): Promise<ServiceToken> {
  const { api, needed, reason } = APIS[kind];
  if (token === undefined) {
    const description = `Send ${needed} in the Authorization header: Bearer <token>`;
    throw new ApiError("unauthorized", { reason: "credential_missing", description });
  }
  if (parseCompactJwt(token)) {
    const description = `${api} accepts only service-issued tokens: ask an administrator for ${needed}`;
    throw new ApiError("invalid_token", { reason, description });
  }
  const presented: PresentedServiceToken = {
    token,
    kind,
    policy,
    tokens,
    address,
    now: epochSeconds(),
    refusal: (why) => refusedServiceToken(why, token, kind),
  };
  await passSteps(SERVICE_TOKEN_STEPS, presented);
  const found = foundOf(presented);
  tokens.noteUse(policy, found, waitUntil);
  return found;
}
