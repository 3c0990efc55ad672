import { OAuthError } from "#protocol/errors.ts";
import { decode } from "#protocol/parameters.ts";

/**
 * Parses Basic credentials, whose two parts are form-encoded (RFC 6749 §2.3.1).
 *
 * @throws {OAuthError} `invalid_client` for any other Authorization header
 */
export function parseBasic(authorization: string): { clientId: string; secret: string } {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization.trim())?.[1];
  const refusal = new OAuthError("invalid_client", {
    reason: "basic_credentials_malformed",
    description: "The Authorization header has no Basic credentials",
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
