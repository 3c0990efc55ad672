import { isObject } from "#protocol/json-object.ts";
import { compactVerify } from "jose";
import { decodeCanonical } from "./base64url.ts";
import { parseStrictJson } from "./strict-json.ts";

/** Our own tokens are below 1 KB, and no identity provider's tokens fit into a header beyond this. */
const JWT_CHARACTERS_MAX = 16 * 1024;

/** Header parameters that point to a key elsewhere or change what is signed. No token that we accept has them. */
const FORBIDDEN_HEADER = ["jku", "x5u", "x5c", "crit", "b64", "zip", "enc"];

export interface CompactJwt {
  readonly token: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Parses a signed JWT in compact form (RFC 7515 §7.1), in its only canonical form: three parts, canonical base64url, JSON objects.
 * Nothing in it is verified yet.
 *
 * @param charactersMax a higher limit than a header has, for a token in a response that has its own limit
 * @returns `undefined` for anything else
 */
export function parseCompactJwt(token: string, charactersMax = JWT_CHARACTERS_MAX): CompactJwt | undefined {
  if (token.length > charactersMax) return undefined;
  const [first, second, third, ...rest] = token.split(".");
  if (first === undefined || second === undefined || third === undefined || third === "" || rest.length > 0)
    return undefined;
  if (!decodeCanonical(third)) return undefined;
  const header = parseObject(first);
  const payload = parseObject(second);
  return header && payload && typeof header["alg"] === "string" ? { token, header, payload } : undefined;
}

/**
 * Checks whether the holder of this key signed a JWT, and its header contains nothing misleading.
 *
 * @param algorithms the only accepted ones, whatever the header says (RFC 8725 §3.1)
 */
export async function isSignedBy(
  jwt: CompactJwt,
  publicJwk: Readonly<Record<string, unknown>>,
  algorithms: readonly string[],
): Promise<boolean> {
  return !("jwk" in jwt.header) && isSignedByItsKey(jwt, publicJwk, algorithms);
}

/**
 * Does the same as {@link isSignedBy} for a JWT with its key in the header, which proves only that the sender has that key.
 */
export async function isSignedByItsKey(
  jwt: CompactJwt,
  publicJwk: Readonly<Record<string, unknown>>,
  algorithms: readonly string[],
): Promise<boolean> {
  if (FORBIDDEN_HEADER.some((name) => name in jwt.header)) return false;
  try {
    await compactVerify(jwt.token, publicJwk, { algorithms: [...algorithms] });
    return true;
  } catch {
    return false;
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parseObject(encoded: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = decodeCanonical(encoded);
  if (!bytes) return undefined;
  try {
    const parsed: unknown = parseStrictJson(strictUtf8.decode(bytes));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
