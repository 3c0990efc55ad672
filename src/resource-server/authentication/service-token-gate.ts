import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { refusedServiceToken } from "#service-tokens/refused-token.ts";
import type { ServiceToken, ServiceTokenKind } from "#service-tokens/service-token.ts";
import type { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { Credentials } from "./credentials.ts";
import { foundOf, type PresentedServiceToken, SERVICE_TOKEN_STEPS } from "./service-token-steps.ts";
import { passSteps } from "./steps.ts";

/** The credentials of a request that the gate reads. */
export type ServiceTokenCredentials = Pick<Credentials, "token" | "address" | "waitUntil">;

/** An API that accepts one kind of token. */
interface ServiceTokenApi {
  readonly kind: ServiceTokenKind;
  /** The description if a caller sent nothing, and the refusal if they sent an OAuth token. */
  readonly missing: string;
  readonly noOAuth: { readonly reason: RefusalReason; readonly description: string };
}

export const INDEXING_API: ServiceTokenApi = {
  kind: "indexing",
  missing: "Send an indexing token in the Authorization header: Bearer <token>",
  noOAuth: {
    reason: "jwt_on_indexing_api",
    description: "The Indexing API accepts only service-issued tokens: ask an administrator for an indexing token",
  },
};

export const ADMIN_API: ServiceTokenApi = {
  kind: "admin",
  missing: "Send an admin token in the Authorization header: Bearer <token>",
  noOAuth: {
    reason: "jwt_on_admin_api",
    description: "The Admin API accepts only service-issued tokens: ask an administrator for an admin token",
  },
};

export const SCIM_API: ServiceTokenApi = {
  kind: "scim",
  missing: "Send a SCIM token in the Authorization header: Bearer <token>",
  noOAuth: {
    reason: "jwt_on_scim",
    description: "SCIM accepts only service-issued tokens: ask an administrator for a SCIM token",
  },
};

/** Decides which program calls an API that accepts only service-issued tokens of one kind, and never OAuth. */
export class ServiceTokenGate {
  readonly #api: ServiceTokenApi;
  readonly #serviceTokens: ServiceTokens;

  constructor(api: ServiceTokenApi, serviceTokens: ServiceTokens) {
    this.#api = api;
    this.#serviceTokens = serviceTokens;
  }

  /**
   * Verifies a token.
   *
   * @returns the token; each call checks itself what it covers
   * @throws {ApiError} 401, whatever is wrong
   */
  async authenticate({ policy }: RequestInstance, credentials: ServiceTokenCredentials): Promise<ServiceToken> {
    const { token, address, waitUntil } = credentials;
    const { kind, missing, noOAuth } = this.#api;
    if (token === undefined) throw new ApiError("unauthorized", { reason: "credential_missing", description: missing });
    if (parseCompactJwt(token)) throw new ApiError("invalid_token", noOAuth);
    const tokens = this.#serviceTokens;
    const presented: PresentedServiceToken = {
      token,
      kind,
      policy,
      tokens,
      address,
      now: tokens.now(),
      refusal: (why) => refusedServiceToken(why, token, kind),
    };
    await passSteps(SERVICE_TOKEN_STEPS, presented);
    const found = foundOf(presented);
    tokens.noteUse(policy, found, waitUntil);
    return found;
  }
}
