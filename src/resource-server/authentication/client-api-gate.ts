import { type CompactJwt, parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { HostNaming } from "#platform/host-naming.ts";
import { ApiError } from "#protocol/errors.ts";
import type { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { DpopProofs } from "#dpop/dpop-proofs.ts";
import { requireScheme } from "#dpop/dpop-proof.ts";
import type { Caller, Credentials, ExaminedCredentials } from "./caller.ts";
import { ClientApiTokens, type PresentedClientApiToken } from "./client-api-token.ts";
import type { ExternalTokens } from "./external-token.ts";
import type { PresentedExternalToken } from "./external-token-steps.ts";
import type { OwnTokens } from "./own-token.ts";
import type { PresentedOwnToken } from "./own-token-steps.ts";
import { Examination } from "./steps.ts";

/** The credentials that are needed to recognise a token that this isolate has verified. */
type RememberedBy = Pick<Credentials, "announcedAsExternal" | "isAtMcp" | "waitUntil">;

/** Decides who calls the Client API. Each kind of token is examined in one way, in this order, and anything else is refused. */
export class ClientApiGate {
  readonly #ownTokens: OwnTokens;
  readonly #externalTokens: ExternalTokens;
  readonly #serviceTokens: ClientApiTokens;
  readonly #proofs: DpopProofs;

  constructor(
    ownTokens: OwnTokens,
    externalTokens: ExternalTokens,
    serviceTokens: ServiceTokens,
    proofs: DpopProofs,
    naming: HostNaming,
  ) {
    this.#ownTokens = ownTokens;
    this.#externalTokens = externalTokens;
    this.#proofs = proofs;
    this.#serviceTokens = new ClientApiTokens(serviceTokens, naming);
  }

  /**
   * Recognises a token that this isolate has verified before. This is the whole warm path: nothing is parsed, awaited or read.
   *
   * @returns `undefined` if {@link authenticate} has to examine the token
   * @throws {ApiError} 401 if an own token has ended since, or is bound to a key
   */
  recognise(instance: RequestInstance, credentials: Pick<Credentials, "presented"> & RememberedBy): Caller | undefined {
    const { presented } = credentials;
    if (presented === undefined) return undefined;
    const caller = this.#remembered(instance, presented, credentials);
    if (caller) requireScheme("Bearer", caller.keyThumbprint);
    return caller;
  }

  /**
   * Verifies the credential of a request.
   *
   * @throws {ApiError} 401 if the credential is invalid; 403 if OAuth is off, or the issuer or client is not registered
   */
  async authenticate(instance: RequestInstance, credentials: Credentials): Promise<Caller> {
    const { token, scheme } = credentials;
    if (token === undefined) throw new ApiError("unauthorized", { reason: "credential_missing" });
    const remembered = scheme === "DPoP" ? this.#remembered(instance, token, credentials) : undefined;
    const caller = remembered ?? (await this.examine(instance, token, credentials).admit());
    const use = { scheme, token, proved: () => credentials.proved };
    await this.#proofs.requireHolder(instance, use, caller.keyThumbprint);
    return caller;
  }

  /** Chooses how to examine a token, by its form and by what the request announces. Nothing in the token is trusted yet. */
  examine(
    instance: RequestInstance,
    token: string,
    credentials: ExaminedCredentials,
  ): Examination<PresentedOwnToken> | Examination<PresentedExternalToken> | Examination<PresentedClientApiToken> {
    const jwt = parseCompactJwt(token);
    if (jwt?.payload["iss"] === instance.issuer) return this.#ownTokens.examine(instance, jwt);
    if (jwt && (credentials.announcedAsExternal || mayBeUnannounced(instance.policy, jwt, credentials))) {
      return this.#externalTokens.examine(instance.policy, jwt, credentials);
    }
    return this.#serviceTokens.examine(instance, token, jwt, credentials);
  }

  #remembered(instance: RequestInstance, token: string, credentials: RememberedBy): Caller | undefined {
    const own = this.#ownTokens.recognise(instance, token);
    const isUnannounced = own === undefined && !credentials.announcedAsExternal;
    if (own || (isUnannounced && !credentials.isAtMcp)) return own;
    return this.#externalTokens.recognise(instance.policy, token, credentials.waitUntil, isUnannounced);
  }
}

/** Checks whether an administrator lets the tokens of this issuer in at the MCP endpoint without the header. */
function mayBeUnannounced(
  { externalIssuers }: Pick<PolicySnapshot, "externalIssuers">,
  { payload: { iss } }: CompactJwt,
  { isAtMcp = false }: Pick<Credentials, "isAtMcp">,
): boolean {
  return isAtMcp && typeof iss === "string" && externalIssuers.get(iss)?.headerOptionalAtMcp === true;
}
