import type { CompactJwt } from "#crypto/compact-jwt.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { type HostNaming, isInstanceIssuer } from "#platform/host-naming.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { ApiError } from "#protocol/errors.ts";
import { parseScopes } from "#protocol/scopes.ts";
import { refusedServiceToken, type WhyRefused } from "#service-tokens/refused-token.ts";
import type { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { Caller } from "./caller.ts";
import type { ExaminedCredentials } from "./credentials.ts";
import { foundOf, looksLikeJwt, type PresentedServiceToken, SERVICE_TOKEN_STEPS } from "./service-token-steps.ts";
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
    policy: PolicySnapshot,
    token: string,
    jwt: CompactJwt | undefined,
    credentials: ExaminedCredentials,
  ): Examination<PresentedClientApiToken> {
    const { address, waitUntil } = credentials;
    return new Examination<PresentedClientApiToken>(this, {
      token,
      kind: "client-api",
      policy,
      tokens: this.#tokens,
      address,
      now: this.#tokens.now(),
      waitUntil,
      refusal: (why) => this.#refusal(why, token, jwt, credentials),
    });
  }

  callerOf(presented: PresentedClientApiToken): Caller {
    const { personId, scopes } = foundOf(presented);
    if (personId === null) throw presented.refusal("service_token_wrong_kind");
    return { personId, scopes: new Set(parseScopes(scopes.join(" "))) };
  }

  noteAdmitted(presented: PresentedClientApiToken): void {
    this.#tokens.noteUse(presented.policy, foundOf(presented), presented.waitUntil);
  }

  /**
   * Makes the refusal of a token. A token that was announced as an identity provider's and is not a JWT may still be one of ours:
   * apps send the same header with every token.
   */
  #refusal(
    why: WhyRefused,
    token: string,
    jwt: CompactJwt | undefined,
    { announcedAsExternal, authTypeHeader }: Pick<ExaminedCredentials, "announcedAsExternal" | "authTypeHeader">,
  ): ApiError {
    if (announcedAsExternal && (why === "service_token_malformed" || why === "service_token_wrong_kind")) {
      return new ApiError("invalid_token", {
        reason: "external_token_not_a_jwt",
        description: "Invalid token format: an identity provider's access token must be a JWT",
      });
    }
    if (why === "service_token_malformed" && isInstanceIssuer(jwt?.payload["iss"], this.#naming)) {
      return new ApiError("invalid_secret", {
        reason: "token_of_another_instance",
        description: "Invalid secret: this access token is for another instance of this service: authorize at this one",
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
}
