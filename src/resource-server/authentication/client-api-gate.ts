import { type CompactJwt, parseCompactJwt } from "#crypto/compact-jwt.ts";
import { type HostNaming, isInstanceIssuer } from "#platform/host-naming.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import { parseScopes } from "#protocol/scopes.ts";
import type { ExternalTokens } from "./external-token.ts";
import { refusedServiceToken } from "#service-tokens/refused-token.ts";
import type { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { Caller } from "./caller.ts";
import type { OwnTokens } from "./own-token.ts";

/** Which of the caller's credentials the gate looks at. */
export interface Credentials {
  /** What stands where a token stands, unchecked: enough to meet again what was checked before, character by character. */
  readonly presented: string | undefined;
  /** The token, checked for its form. @throws {ApiError} for a header that is not one bearer token */
  readonly token: string | undefined;
  /** Whether the request announces an external identity provider's token: `X-<Service>-Auth-Type: OAUTH`. */
  readonly announcedAsExternal: boolean;
  /** The name of that header, for telling a developer what to add. */
  readonly authTypeHeader: string;
  /** Where the request came from. */
  readonly address: string;
  readonly waitUntil: WaitUntil;
}

/** As what a credential is judged: what it looks like and what is announced decide, and nothing in it is believed yet. */
export type Way =
  | { readonly kind: "own" | "external"; readonly jwt: CompactJwt }
  | { readonly kind: "service-issued"; readonly jwt: CompactJwt | undefined };

export function wayOf(instance: RequestInstance, token: string, announcedAsExternal: boolean): Way {
  const jwt = parseCompactJwt(token);
  if (jwt?.payload["iss"] === instance.issuer) return { kind: "own", jwt };
  if (jwt && announcedAsExternal) return { kind: "external", jwt };
  return { kind: "service-issued", jwt };
}

/** Decides who calls the Client API. Every kind of token has one answer, in this order, and anything else is refused. */
export class ClientApiGate {
  readonly #ownTokens: OwnTokens;
  readonly #externalTokens: ExternalTokens;
  readonly #serviceTokens: ServiceTokens;
  readonly #naming: HostNaming;

  constructor(ownTokens: OwnTokens, externalTokens: ExternalTokens, serviceTokens: ServiceTokens, naming: HostNaming) {
    this.#naming = naming;
    this.#ownTokens = ownTokens;
    this.#externalTokens = externalTokens;
    this.#serviceTokens = serviceTokens;
  }

  /**
   * A token that this isolate has verified before: nothing is parsed, awaited or read for it, and that is all of the warm path.
   *
   * @returns `undefined` for everything that {@link authenticate} has to look at
   * @throws {ApiError} 401 when an own token has ended since
   */
  recognise(instance: RequestInstance, credentials: Credentials): Caller | undefined {
    const { presented } = credentials;
    if (presented === undefined) return undefined;
    const own = this.#ownTokens.recognise(instance, presented);
    if (own || !credentials.announcedAsExternal) return own;
    return this.#externalTokens.recognise(instance.policy, presented, credentials.waitUntil);
  }

  /**
   * @throws {ApiError} 401 when the credential does not hold; 403 when OAuth is off, or the issuer or client not registered
   */
  async authenticate(instance: RequestInstance, credentials: Credentials): Promise<Caller> {
    const { token, announcedAsExternal, waitUntil } = credentials;
    if (token === undefined) throw new ApiError("unauthorized", { reason: "credential_missing" });
    const way = wayOf(instance, token, announcedAsExternal);
    if (way.kind === "own") return this.#ownTokens.verify(instance, way.jwt);
    if (way.kind === "external") return this.#externalTokens.verify(instance.policy, way.jwt, waitUntil);
    return this.#serviceIssued(instance, token, way.jwt, credentials);
  }

  /** What was announced as an identity provider's, and is no JWT, may still be a token of ours: apps send one header for all. */
  async #serviceIssued(
    { policy }: RequestInstance,
    token: string,
    jwt: CompactJwt | undefined,
    { address, announcedAsExternal, authTypeHeader, waitUntil }: Credentials,
  ): Promise<Caller> {
    const found = await this.#serviceTokens.recognise(policy, token, { kind: "client-api", address, waitUntil });
    if (typeof found !== "string" && found.personId !== null) {
      return { personId: found.personId, scopes: new Set(parseScopes(found.scopes.join(" "))) };
    }
    const why = typeof found === "string" ? found : "wrong_kind";
    if (announcedAsExternal && (why === "malformed" || why === "wrong_kind")) {
      throw new ApiError("invalid_token", {
        reason: "external_token_not_a_jwt",
        description: "Invalid token format: an identity provider's access token must be a JWT",
      });
    }
    if (why === "malformed" && isInstanceIssuer(jwt?.payload["iss"], this.#naming)) {
      throw new ApiError("invalid_secret", {
        reason: "token_of_another_instance",
        description: "Invalid secret: this access token is for another instance of this service: authorize at this one",
      });
    }
    if (why === "malformed" && (jwt || looksLikeJwt(token))) {
      throw new ApiError("invalid_secret", {
        reason: "external_token_not_announced",
        description: `Invalid secret: to use an identity provider's token, add the header ${authTypeHeader}: OAUTH`,
      });
    }
    throw refusedServiceToken(why, "client-api");
  }
}

/** What a developer would call a JWT, well-formed or not: enough to say which header is missing. */
function looksLikeJwt(token: string): boolean {
  return /^eyJ[^.]*\.[^.]+\.[^.]*$/.test(token);
}
