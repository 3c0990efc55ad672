import { isObject } from "./json-object.ts";
import { isNumericDate } from "./numeric-date.ts";

/** The `typ` of access tokens (RFC 9068 §2.1). No ID token, and nothing else that this issuer signs, has it. */
export const ACCESS_TOKEN_TYPE = "at+jwt";

/**
 * The claims of the access tokens that this service issues (RFC 9068 §2.2). The authorization server writes them and the resource
 * server reads them.
 */
export type AccessTokenClaims = {
  readonly iss: string;
  /** The person, or the service account. */
  readonly sub: string;
  /** The resource that the token is for (RFC 8707). */
  readonly aud: string;
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly jti: string;
  readonly client_id: string;
  /** The kind of client. Unless it is `static`, the scopes that self-registered clients may have limit the token. */
  readonly client_kind: string;
  /** The app that the client is an install of, by which rules name it; absent if that is the client itself. */
  readonly client_app?: string;
  /** The known host that such a client is, if the token says who the person is only because an administrator allows it this host. */
  readonly client_host?: string;
  readonly scope: string;
  /** The grant that the token belongs to. When the grant ends, so does the token. */
  readonly grant_id: string;
  /** The key that the token is bound to; absent in a bearer token. */
  readonly cnf?: Confirmation;
  /** The client, as the app that got the token by an exchange, and the apps from which it has it. */
  readonly act?: ActingApp;
};

/** An app that acts for a person, and the one from which it has the access (RFC 8693 §4.1). */
export interface ActingApp {
  /** Its client id: here, or at the identity provider `iss`. */
  readonly sub: string;
  readonly iss?: string;
  readonly client_kind?: string;
  readonly client_app?: string;
  readonly act?: ActingApp;
}

/** The most apps that access passes through. Rules of each are checked with every request. */
const ACTING_APPS_MAX = 4;

/** A key, named by its RFC 7638 thumbprint (RFC 9449 §6.1). */
export interface Confirmation {
  readonly jkt: string;
}

/** A SHA-256 hash in base64url. */
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

const TEXTS = ["iss", "sub", "aud", "jti", "client_id", "client_kind", "scope", "grant_id"] as const;
const TIMES = ["exp", "iat", "nbf"] as const;

export function isThumbprint(value: unknown): value is string {
  return typeof value === "string" && THUMBPRINT.test(value);
}

/** Checks whether a `cnf` claim contains the thumbprint of a key and nothing else: any other member would need its own check. */
export function isConfirmation(cnf: unknown): cnf is Confirmation {
  return isObject(cnf) && Object.keys(cnf).length === 1 && isThumbprint(cnf["jkt"]);
}

/** Returns the apps of an `act` claim, the current one first; `undefined` if it has another form or too many. */
export function actingApps(act: unknown): readonly ActingApp[] | undefined {
  const apps: ActingApp[] = [];
  for (let actor = act; actor !== undefined; actor = apps.at(-1)?.act) {
    if (!isObject(actor) || apps.length === ACTING_APPS_MAX || typeof actor["sub"] !== "string") return undefined;
    if (
      ["iss", "client_kind", "client_app"].some((name) => actor[name] !== undefined && typeof actor[name] !== "string")
    )
      return undefined;
    apps.push(actor as unknown as ActingApp);
  }
  return apps;
}

/**
 * Reads the claims of an access token.
 *
 * @returns `undefined` unless every claim is present, with a value of its type; times must be whole seconds, as this service
 *   writes them
 */
export function parseAccessTokenClaims(payload: Readonly<Record<string, unknown>>): AccessTokenClaims | undefined {
  const isComplete =
    TEXTS.every((name) => typeof payload[name] === "string") &&
    TIMES.every((name) => isNumericDate(payload[name]) && Number.isInteger(payload[name])) &&
    (payload["client_app"] === undefined || typeof payload["client_app"] === "string") &&
    (payload["client_host"] === undefined || typeof payload["client_host"] === "string") &&
    (payload["cnf"] === undefined || isConfirmation(payload["cnf"])) &&
    actingApps(payload["act"]) !== undefined;
  return isComplete ? (payload as unknown as AccessTokenClaims) : undefined;
}
