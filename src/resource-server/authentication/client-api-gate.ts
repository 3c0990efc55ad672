import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { HostNaming } from "#platform/host-naming.ts";
import { ApiError } from "#protocol/errors.ts";
import type { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { Caller } from "./caller.ts";
import type { Credentials } from "./credentials.ts";
import { ClientApiTokens, type PresentedClientApiToken } from "./client-api-token.ts";
import type { ExternalTokens } from "./external-token.ts";
import type { PresentedExternalToken } from "./external-token-steps.ts";
import type { OwnTokens } from "./own-token.ts";
import type { PresentedOwnToken } from "./own-token-steps.ts";
import { Examination } from "./steps.ts";

/** Decides who calls the Client API. Every kind of token has one answer, in this order, and anything else is refused. */
export class ClientApiGate {
  readonly #ownTokens: OwnTokens;
  readonly #externalTokens: ExternalTokens;
  readonly #serviceTokens: ClientApiTokens;

  constructor(ownTokens: OwnTokens, externalTokens: ExternalTokens, serviceTokens: ServiceTokens, naming: HostNaming) {
    this.#ownTokens = ownTokens;
    this.#externalTokens = externalTokens;
    this.#serviceTokens = new ClientApiTokens(serviceTokens, naming);
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
    const { token } = credentials;
    if (token === undefined) throw new ApiError("unauthorized", { reason: "credential_missing" });
    return this.examine(instance, token, credentials).admit();
  }

  /** What a token looks like and what is announced decide as what it is examined: nothing in it is believed yet. */
  examine(
    instance: RequestInstance,
    token: string,
    credentials: Omit<Credentials, "presented" | "token">,
  ): Examination<PresentedOwnToken> | Examination<PresentedExternalToken> | Examination<PresentedClientApiToken> {
    const jwt = parseCompactJwt(token);
    if (jwt?.payload["iss"] === instance.issuer) return this.#ownTokens.examine(instance, jwt);
    if (jwt && credentials.announcedAsExternal) return this.#externalTokens.examine(instance.policy, jwt, credentials);
    return this.#serviceTokens.examine(instance.policy, token, jwt, credentials);
  }
}
