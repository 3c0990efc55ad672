import { PERSONAL_TOKENS } from "#app-access/app-content.ts";
import type { CompactJwt } from "#crypto/compact-jwt.ts";
import { type Legible, readDamagedJwt } from "#crypto/damaged-jwt.ts";
import { looksLikeRefreshToken } from "#grants/refresh-token.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";
import { type HostNaming, isInstanceIssuer } from "#platform/host-naming.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { ApiError } from "#protocol/errors.ts";
import { parseScopes } from "#protocol/scopes.ts";
import { refusedServiceToken, type WhyRefused } from "#service-tokens/refused-token.ts";
import type { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { Caller, ExaminedCredentials } from "./caller.ts";
import { foundOf, looksLikeJwt, type PresentedServiceToken, SERVICE_TOKEN_STEPS } from "./service-token-gate.ts";
import { type CredentialKind, Examination } from "./steps.ts";

export interface PresentedClientApiToken extends PresentedServiceToken {
  readonly waitUntil: WaitUntil;
}

/** Tokens that administrators create for one person, and everything that is a token of no other kind. */
export class ClientApiTokens implements CredentialKind<PresentedClientApiToken> {
  readonly steps = SERVICE_TOKEN_STEPS;
  readonly #tokens: ServiceTokens;
  readonly #naming: HostNaming;

  constructor(tokens: ServiceTokens, naming: HostNaming) {
    this.#tokens = tokens;
    this.#naming = naming;
  }

  examine(
    instance: RequestInstance,
    token: string,
    jwt: CompactJwt | undefined,
    credentials: ExaminedCredentials,
  ): Examination<PresentedClientApiToken> {
    const { address, waitUntil } = credentials;
    return new Examination<PresentedClientApiToken>(this, {
      token,
      kind: "client-api",
      policy: instance.policy,
      tokens: this.#tokens,
      address,
      now: epochSeconds(),
      waitUntil,
      refusal: (why) => this.#refusal(why, instance, token, jwt, credentials),
    });
  }

  callerOf(presented: PresentedClientApiToken): Caller {
    const { personId, scopes } = foundOf(presented);
    if (personId === null) throw presented.refusal("service_token_wrong_kind");
    return { personId, scopes: new Set(parseScopes(scopes.join(" "))), apps: [[PERSONAL_TOKENS]] };
  }

  noteAdmitted(presented: PresentedClientApiToken): void {
    this.#tokens.noteUse(presented.policy, foundOf(presented), presented.waitUntil);
  }

  /**
   * Makes the refusal of a token. A token that was announced as an identity provider's and is not a JWT may still be one of ours:
   * apps send the same header with every token. What this service's own server issued, and something on the way truncated or
   * changed, is refused as that: the header would not help, and its sender would look for an identity provider.
   */
  #refusal(
    why: WhyRefused,
    instance: RequestInstance,
    token: string,
    jwt: CompactJwt | undefined,
    { announcedAsExternal, authTypeHeader }: Pick<ExaminedCredentials, "announcedAsExternal" | "authTypeHeader">,
  ): ApiError {
    const source = why === "service_token_malformed" ? this.#sourceOf(token, jwt, instance) : "elsewhere";
    if (source === "refresh-token") {
      return new ApiError("invalid_token", {
        reason: "refresh_token_as_access_token",
        description: "This is a refresh token: send the access token that came with it",
      });
    }
    if (source === "damaged") {
      return new ApiError("invalid_token", {
        reason: "token_damaged",
        description:
          "The access token is invalid: it was truncated or changed. Send it as it was issued, or get a new one",
      });
    }
    if (source === "another-instance") {
      return new ApiError("invalid_secret", {
        reason: "token_of_another_instance",
        description: "Invalid secret: this access token is for another instance of this service: authorize at this one",
      });
    }
    if (announcedAsExternal && (why === "service_token_malformed" || why === "service_token_wrong_kind")) {
      return new ApiError("invalid_token", {
        reason: "external_token_not_a_jwt",
        description: "Invalid token format: an identity provider's access token must be a JWT",
      });
    }
    if (why === "service_token_malformed" && (jwt || looksLikeJwt(token))) {
      return new ApiError("invalid_secret", {
        reason: "external_token_not_announced",
        description: `Invalid secret: to use an identity provider's token, add the header ${authTypeHeader}: OAUTH`,
      });
    }
    return refusedServiceToken(why, token, "client-api");
  }

  /**
   * Finds out which server issued a text that is no valid token. A JWT names its issuer and its key; a damaged one usually still
   * does. If neither is legible, its sender needs the whole token first, whoever issued it.
   */
  #sourceOf(
    token: string,
    jwt: CompactJwt | undefined,
    { issuer, policy }: RequestInstance,
  ): "damaged" | "refresh-token" | "another-instance" | "elsewhere" {
    if (looksLikeRefreshToken(token)) return "refresh-token";
    const { issuers, keyIds }: Legible = jwt
      ? { issuers: [jwt.payload["iss"]], keyIds: [jwt.header["kid"]] }
      : readDamagedJwt(token);
    const isOurKey = (kid: unknown) => typeof kid === "string" && policy.publishedKeys.has(kid);
    if (issuers.includes(issuer)) return "damaged";
    if (issuers.some((named) => isInstanceIssuer(named, this.#naming))) return "another-instance";
    const isIllegible = issuers.length === 0 && looksLikeJwt(token);
    return isIllegible || keyIds.some(isOurKey) ? "damaged" : "elsewhere";
  }
}
