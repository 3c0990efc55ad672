import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import { refusedServiceToken } from "#service-tokens/refused-token.ts";
import type { ServiceToken } from "#service-tokens/service-token.ts";
import type { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { Credentials } from "./credentials.ts";
import { foundOf, type PresentedServiceToken, SERVICE_TOKEN_STEPS } from "./service-token-steps.ts";
import { passSteps } from "./steps.ts";

/** What the gate looks at of a request. */
export type IndexingCredentials = Pick<Credentials, "token" | "address" | "waitUntil">;

/** Decides which pipeline calls the Indexing API. It takes tokens issued by the service, and never OAuth. */
export class IndexingGate {
  readonly #serviceTokens: ServiceTokens;

  constructor(serviceTokens: ServiceTokens) {
    this.#serviceTokens = serviceTokens;
  }

  /**
   * @returns the token; which target it covers is each call's question
   * @throws {ApiError} 401, for every reason there is
   */
  async authenticate({ policy }: RequestInstance, credentials: IndexingCredentials): Promise<ServiceToken> {
    const { token, address, waitUntil } = credentials;
    if (token === undefined) {
      throw new ApiError("unauthorized", {
        reason: "credential_missing",
        description: "Send an indexing token in the Authorization header: Bearer <token>",
      });
    }
    if (parseCompactJwt(token)) {
      throw new ApiError("invalid_token", {
        reason: "jwt_on_indexing_api",
        description:
          "The Indexing API takes only tokens issued by the service: an administrator creates an indexing token",
      });
    }
    const tokens = this.#serviceTokens;
    const presented: PresentedServiceToken = {
      token,
      kind: "indexing",
      policy,
      tokens,
      address,
      now: tokens.now(),
      refusal: (why) => refusedServiceToken(why, "indexing"),
    };
    await passSteps(SERVICE_TOKEN_STEPS, presented);
    const found = foundOf(presented);
    tokens.noteUse(policy, found, waitUntil);
    return found;
  }
}
