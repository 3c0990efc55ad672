import type { TokenScheme } from "#dpop/dpop-proof.ts";
import { ApiError } from "#protocol/errors.ts";

/** The `b64token` of RFC 6750 §2.1, of any length that fits a header. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const BEARER = /^bearer +/i;

/** The scheme of RFC 9449 §7.1. */
const DPOP = /^dpop +/i;

/**
 * Reads the bearer token of a request, from the Authorization header and from nowhere else. Query strings end up in logs, and a
 * token in two places lets two readers believe different ones (RFC 6750 §5.3).
 *
 * @param header the Authorization header; two of them arrive joined by a comma, which no token contains
 * @returns `undefined` if no credential was sent
 * @throws {ApiError} `invalid_token` for a header that is not one bearer token
 */
export function readBearer(header: string | undefined): string | undefined {
  return readToken(header, BEARER);
}

/** Does the same as {@link readBearer}, for requests that may also use the DPoP scheme. */
export function readBearerOrBound(header: string | undefined): string | undefined {
  return readToken(header, schemeOf(header) === "DPoP" ? DPOP : BEARER);
}

/** Returns the scheme of an Authorization header. A header with another scheme is refused as a malformed Bearer token. */
export function schemeOf(header: string | undefined): TokenScheme {
  return header !== undefined && DPOP.test(header) ? "DPoP" : "Bearer";
}

function readToken(header: string | undefined, scheme: RegExp): string | undefined {
  if (header === undefined || header === "") return undefined;
  const token = header.replace(scheme, "");
  requireTokenForm(token === header ? "" : token);
  return token;
}

/** Requires that a text has the form of one token. @throws {ApiError} `invalid_token` */
export function requireTokenForm(text: string): void {
  if (TOKEN.test(text)) return;
  throw new ApiError("invalid_token", {
    reason: "authorization_header_malformed",
    description: "The Authorization header must have one token: Authorization: Bearer <token>",
  });
}
