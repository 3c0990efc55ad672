import type { ExternalIssuer } from "./external-issuer.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import { type PublicJwk, parseKeySet } from "./key-set.ts";

/** Maximum size of a document. Key sets are a few KB, and those of the largest issuers stay well below this. */
const DOCUMENT_BYTES_MAX = 256 * 1024;

/** Maximum length of the address that a discovery document names. */
const ADDRESS_CHARACTERS_MAX = 2000;

/** A signer with published keys: an identity provider, or a client that authenticates with assertions. */
export type KeyPublisher = Pick<ExternalIssuer, "issuer" | "jwksUri"> & {
  /** Whether these are the keys for its security events, which may differ from those for its tokens. */
  readonly isTransmitter?: boolean;
};

/** Fetches what an issuer publishes about itself. */
export class IssuerDocuments {
  readonly #fetch: OutgoingFetch;

  constructor(outgoingFetch: OutgoingFetch) {
    this.#fetch = outgoingFetch;
  }

  /**
   * Returns the URL of an issuer's keys: an administrator's, or by OpenID Connect Discovery §4, else RFC 8414 §3; for a transmitter, first by Shared Signals
   * Framework 1.0 §7.2. A document that names another issuer is not this issuer's (RFC 8414 §3.3).
   *
   * @throws {Error} if there is no such document
   */
  async locateKeys({ issuer, jwksUri, isTransmitter }: KeyPublisher): Promise<string> {
    if (jwksUri !== undefined) return jwksUri;
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, "");
    const metadata =
      (isTransmitter ? await this.#document(`${origin}/.well-known/ssf-configuration${path}`) : undefined) ??
      (await this.#document(`${origin}${path}/.well-known/openid-configuration`)) ??
      (await this.#document(`${origin}/.well-known/oauth-authorization-server${path}`));
    const { issuer: named, jwks_uri: located } = (metadata ?? {}) as Record<string, unknown>;
    if (named !== issuer) throw new Error("no discovery document names this issuer");
    if (typeof located !== "string" || located.length > ADDRESS_CHARACTERS_MAX || !URL.canParse(located))
      throw new Error("the discovery document has no jwks_uri");
    return located;
  }

  /** Fetches a key set. @throws {Error} if there is none at this address */
  async fetchKeys(jwksUri: string): Promise<PublicJwk[]> {
    return parseKeySet(await this.#document(jwksUri));
  }

  /** Fetches a document. @returns `undefined` if there is none: servers say so with 404, 400, 403 or 405 */
  async #document(url: string): Promise<unknown> {
    const headers = { Accept: "application/json, application/jwk-set+json" };
    const response = await this.#fetch(url, { headers }, DOCUMENT_BYTES_MAX);
    if (response.status >= 400 && response.status < 500) return undefined;
    if (response.status !== 200) throw new Error(`${new URL(url).host} answered ${response.status}`);
    return response.json();
  }
}
