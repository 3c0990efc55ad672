import { isObject } from "./json-object.ts";
import { isNumericDate } from "./numeric-date.ts";

/** RFC 9068 §2.1: no ID token, and nothing else that this issuer signs, has this type. */
export const ACCESS_TOKEN_TYPE = "at+jwt";

/**
 * The claims of the access tokens that this service issues (RFC 9068 §2.2): what the authorization server writes is what the resource
 * server reads.
 */
export type AccessTokenClaims = {
  readonly iss: string;
  /** The person. */
  readonly sub: string;
  /** The resource (RFC 8707). */
  readonly aud: string;
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly jti: string;
  readonly client_id: string;
  /** Whether the set of scopes for clients that registered themselves bounds it: `static` is not bounded. */
  readonly client_kind: string;
  readonly scope: string;
  /** The grant whose end ends the token. */
  readonly grant_id: string;
  /** The key that the token is bound to; absent in a bearer token. */
  readonly cnf?: Confirmation;
};

/** A key by its RFC 7638 thumbprint (RFC 9449 §6.1). */
export interface Confirmation {
  readonly jkt: string;
}

/** SHA-256 in base64url. */
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

const TEXTS = ["iss", "sub", "aud", "jti", "client_id", "client_kind", "scope", "grant_id"] as const;
const TIMES = ["exp", "iat", "nbf"] as const;

export function isThumbprint(value: unknown): value is string {
  return typeof value === "string" && THUMBPRINT.test(value);
}

/** Whether a `cnf` claim holds the thumbprint of a key and nothing else: any other member would need a check of its own. */
export function isConfirmation(cnf: unknown): cnf is Confirmation {
  return isObject(cnf) && Object.keys(cnf).length === 1 && isThumbprint(cnf["jkt"]);
}

/** @returns `undefined` unless every claim is there, with a value of its type; times are whole seconds, as this service writes them */
export function parseAccessTokenClaims(payload: Readonly<Record<string, unknown>>): AccessTokenClaims | undefined {
  const isComplete =
    TEXTS.every((name) => typeof payload[name] === "string") &&
    TIMES.every((name) => isNumericDate(payload[name]) && Number.isInteger(payload[name])) &&
    (payload["cnf"] === undefined || isConfirmation(payload["cnf"]));
  return isComplete ? (payload as unknown as AccessTokenClaims) : undefined;
}
