import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import type { ServiceTokens } from "#resource-server/service-tokens/service-tokens.ts";

/** Decides which pipeline calls the Indexing API. It takes tokens issued by the service, and never OAuth. */
export class IndexingGate {
  readonly #serviceTokens: ServiceTokens;

  constructor(serviceTokens: ServiceTokens) {
    this.#serviceTokens = serviceTokens;
  }

  /**
   * @returns the scopes of the token; which target they cover is each call's question
   * @throws {ApiError} 401, for every reason there is
   */
  async authenticate({ policy }: RequestInstance, token: string | undefined): Promise<readonly string[]> {
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
    const found = await this.#serviceTokens.recognise(policy, token);
    if (typeof found === "string") {
      throw new ApiError("invalid_secret", {
        reason: `service_token_${found}`,
        description: `Invalid secret: the indexing token is ${found}; ask an administrator for a new one`,
      });
    }
    if (found.kind !== "indexing") {
      throw new ApiError("invalid_secret", {
        reason: "service_token_of_the_client_api_kind",
        description: "Invalid secret: this token is for the Client API; the Indexing API needs an indexing token",
      });
    }
    return found.scopes;
  }
}

/**
 * Whether a token covers one target. Asked before anything about the target is looked up, so that a refusal tells nothing about
 * what exists.
 *
 * @param family `documents` or `custommetadata`
 * @param target a datasource's or group's name, in any case
 * @throws {ApiError} 401 `invalid_token`
 */
export function requireCoverage(
  scopes: readonly string[],
  family: "documents" | "custommetadata",
  target: string,
): void {
  const wanted = target.toLowerCase();
  const covers = scopes.some((scope) => {
    const [scopeFamily, scopeTarget] = scope.split(":");
    return scopeFamily === family && (scopeTarget === "global_scope" || scopeTarget?.toLowerCase() === wanted);
  });
  if (covers) return;
  throw new ApiError("invalid_token", {
    reason: "indexing_scope_uncovered",
    description: `The token's scope does not cover this target: it needs ${family}:global_scope or ${family}:<name>`,
  });
}
