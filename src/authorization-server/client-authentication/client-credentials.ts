import { hashToken, type TokenHash } from "#crypto/hash.ts";
import { OAuthError } from "#protocol/errors.ts";
import { decode, type Parameters } from "#protocol/parameters.ts";

/**
 * What a client sent to authenticate itself. Whether it is right is decided by the store, in the same statement that the
 * request is about: `secretHash` must be the client's, and `null` is right for a public client alone.
 */
export interface ClientCredentials {
  readonly clientId: string;
  readonly secretHash: TokenHash | null;
}

/**
 * Reads the client's id and secret from the Authorization header or the body (OAuth 2.1 §2.4).
 *
 * @throws {OAuthError} `invalid_request` when both are used: a proxy and we could believe different ones;
 *   `invalid_client` when there is no client at all
 */
export async function readClientCredentials(
  parameters: Parameters,
  authorization: string | undefined,
): Promise<ClientCredentials> {
  const bodyId = parameters.one("client_id");
  const bodySecret = parameters.one("client_secret");
  if (authorization !== undefined) {
    const basic = parseBasic(authorization);
    if (bodySecret !== undefined || (bodyId !== undefined && bodyId !== basic.clientId)) {
      throw new OAuthError("invalid_request", {
        reason: "two_authentication_methods",
        description: "Authenticate the client in the Authorization header or in the body, not both",
      });
    }
    return { clientId: basic.clientId, secretHash: await hashSecret(basic.secret) };
  }
  if (bodyId === undefined) throw new OAuthError("invalid_client", { reason: "client_id_missing" });
  return { clientId: bodyId, secretHash: await hashSecret(bodySecret) };
}

async function hashSecret(secret: string | undefined): Promise<TokenHash | null> {
  return secret === undefined || secret === "" ? null : hashToken(secret);
}

/** Basic credentials whose two parts are form-encoded (RFC 6749 §2.3.1). */
function parseBasic(authorization: string): { clientId: string; secret: string } {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization.trim())?.[1];
  const refusal = new OAuthError("invalid_client", {
    reason: "basic_credentials_malformed",
    description: "The Authorization header is not Basic credentials",
  });
  if (encoded === undefined) throw refusal;
  let decoded: string;
  try {
    decoded = atob(encoded);
  } catch {
    throw refusal;
  }
  const colon = decoded.indexOf(":");
  if (colon < 1) throw refusal;
  return { clientId: decode(decoded.slice(0, colon)), secret: decode(decoded.slice(colon + 1)) };
}
