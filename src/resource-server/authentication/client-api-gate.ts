import { type CompactJwt, parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import { parseScopes } from "#protocol/scopes.ts";
import type { ServiceTokens } from "#resource-server/service-tokens/service-tokens.ts";
import type { Caller } from "./caller.ts";
import type { OwnTokens } from "./own-token.ts";

/** Which of the caller's credentials the gate looks at. */
export interface Credentials {
  readonly token: string | undefined;
  /** Whether the request announces an external identity provider's token: `X-<Service>-Auth-Type: OAUTH`. */
  readonly announcedAsExternal: boolean;
  /** The name of that header, for telling a developer what to add. */
  readonly authTypeHeader: string;
}

/** Decides who calls the Client API. Every kind of token has one answer, in this order, and anything else is refused. */
export class ClientApiGate {
  readonly #ownTokens: OwnTokens;
  readonly #serviceTokens: ServiceTokens;

  constructor(ownTokens: OwnTokens, serviceTokens: ServiceTokens) {
    this.#ownTokens = ownTokens;
    this.#serviceTokens = serviceTokens;
  }

  /** @throws {ApiError} 401 when the credential does not hold, 403 when OAuth is off or the issuer is not registered */
  async authenticate(instance: RequestInstance, credentials: Credentials): Promise<Caller> {
    const { token, announcedAsExternal, authTypeHeader } = credentials;
    if (token === undefined) throw new ApiError("unauthorized", { reason: "credential_missing" });
    const recognised = this.#ownTokens.recognise(instance, token);
    if (recognised) return recognised;
    const jwt = parseCompactJwt(token);
    if (jwt && jwt.payload["iss"] === instance.issuer) return this.#ownTokens.verify(instance, jwt);
    if (announcedAsExternal) throw refusedExternal(jwt);
    return this.#serviceIssued(instance, token, authTypeHeader);
  }

  async #serviceIssued({ policy }: RequestInstance, token: string, authTypeHeader: string): Promise<Caller> {
    const found = await this.#serviceTokens.recognise(policy, token);
    if (typeof found === "string") throw refusedSecret(found, looksLikeJwt(token), authTypeHeader);
    if (found.kind !== "client-api" || found.personId === null) {
      throw new ApiError("invalid_secret", {
        reason: "service_token_of_the_indexing_kind",
        description: "Invalid secret: this token is for the Indexing API; the Client API needs one of its own kind",
      });
    }
    return { personId: found.personId, scopes: new Set(parseScopes(found.scopes.join(" "))) };
  }
}

function refusedExternal(jwt: CompactJwt | undefined): ApiError {
  if (!jwt) {
    return new ApiError("invalid_token", {
      reason: "external_token_not_a_jwt",
      description: "Invalid token format: an identity provider's access token must be a JWT",
    });
  }
  return new ApiError("issuer_not_registered", { reason: "external_issuer_not_registered" });
}

/** What a developer would call a JWT, well-formed or not: enough to say which header is missing. */
function looksLikeJwt(token: string): boolean {
  return /^eyJ[^.]*\.[^.]+\.[^.]*$/.test(token);
}

function refusedSecret(why: string, isJwt: boolean, authTypeHeader: string): ApiError {
  const descriptions: Readonly<Record<string, string>> = {
    expired: "Invalid secret: the token has expired; ask an administrator for a new one",
    revoked: "Invalid secret: the token was revoked; ask an administrator for a new one",
  };
  const description = isJwt
    ? `Invalid secret: to use an identity provider's token, add the header ${authTypeHeader}: OAUTH`
    : (descriptions[why] ?? "Invalid secret: this is not a token issued by this service");
  return new ApiError("invalid_secret", { reason: `service_token_${why}`, description });
}
