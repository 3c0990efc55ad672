import { OAuthError } from "./errors.ts";

/** Maximum length in characters. Longer URIs do not survive browsers and proxies; real redirect URIs are below 300 characters. */
const REDIRECT_URI_CHARACTERS_MAX = 2048;

/** Schemes that run code, read files or show content instead of handing a code to an app. */
const FORBIDDEN_SCHEMES = new Set([
  "javascript", "vbscript", "livescript", "data", "blob", "file", "filesystem", "about", "view-source", "jar", "ftp",
  "ws", "wss", "mailto", "tel", "sms", "intent", "chrome", "chrome-extension", "resource", "res", "ms-its", "mhtml",
  "feed", "webcal", "content", "android-app", "market", "ldap", "ldaps", "ssh", "sftp", "smb", "telnet", "git", "mk", "wyciwyg",
]); // biome-ignore format: a list

/**
 * Families of schemes that operating systems and browsers handle themselves: settings, installers, search. No app can receive a
 * code there. Browsers open any address that follows their own schemes, so the response would go to a host that the consent page
 * doesn't show.
 */
const SYSTEM_SCHEMES =
  /^(ms-|search|shell|itms|x-apple|microsoft-edge|googlechrome|firefox|opera|brave|touch-|moz-|safari-)/;

/** A web address inside an app's URI, to which the app would pass on the response. */
const NESTED_ADDRESS = /https?(?::|%3a)/i;

/** `http` to the machine that the browser runs on (RFC 8252 §7.3). The host must be one of these names exactly. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?(\/[^?#]*)?(\?[^#]*)?$/;

/** RFC 3986's characters. Spaces, control characters, backslashes, quotes and everything beyond ASCII hide what a URI is. */
const URI_CHARACTERS = /^[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=%]+$/;

/** Parameters of the response (OAuth 2.1 §4.1.2, RFC 9207). If the redirect URI already has one, an app may read the wrong value. */
const ANSWER_PARAMETERS = new Set(["code", "state", "iss", "error"]);

const DOT_SEGMENT = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/;?\\]|%2f|%5c|$)/i;

/**
 * Requires that a redirect URI may be registered: https anywhere, http on loopback only, and private-use schemes (RFC 8252 §7.1).
 *
 * Registration and authorization use the same function, so one never refuses what the other accepts.
 *
 * @throws {OAuthError} `invalid_redirect_uri`, naming what is wrong with it
 */
export function requireRedirectUri(uri: string): void {
  const problem = problemOf(uri);
  if (problem) {
    throw new OAuthError("invalid_redirect_uri", {
      reason: "redirect_uri_unacceptable",
      description: `The redirect URI ${quote(uri)} ${problem}`,
    });
  }
}

/** Checks whether a redirect URI obeys the rules of {@link requireRedirectUri}. */
export function isRedirectUri(uri: string): boolean {
  return problemOf(uri) === undefined;
}

function problemOf(uri: string): string | undefined {
  if (uri.length > REDIRECT_URI_CHARACTERS_MAX) return `is longer than ${REDIRECT_URI_CHARACTERS_MAX} characters`;
  if (uri.includes("#")) return "has a fragment (RFC 6749 §3.1.2)";
  if (uri.includes("*")) return "has a wildcard: register each URI in full";
  if (!URI_CHARACTERS.test(uri)) return "has characters that do not belong in a URI";
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(uri)?.[1];
  if (scheme === undefined) return "has no scheme in lower case";
  if (FORBIDDEN_SCHEMES.has(scheme) || SYSTEM_SCHEMES.test(scheme))
    return `uses the scheme ${scheme}, which is not allowed`;
  if (!URL.canParse(uri)) return "is not a URI";
  const url = new URL(uri);
  if (url.username !== "" || url.password !== "" || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/.test(uri))
    return "has user information";
  if (DOT_SEGMENT.test(uri.slice(scheme.length + 1).split("?")[0] ?? "")) return "has dot segments";
  if ([...url.searchParams.keys()].some((name) => ANSWER_PARAMETERS.has(name)))
    return "has a parameter that the answer adds (code, state, iss or error)";
  if (scheme === "http") {
    const loopback = LOOPBACK.exec(uri);
    if (!loopback) return "uses http for a host other than 127.0.0.1, [::1] and localhost: use https";
    if (Number(loopback[2] ?? 80) > 65535) return "has a port that does not exist";
    return undefined;
  }
  if (scheme === "https") {
    const host = /^https:\/\/([^/?]+?)(?::\d*)?(?:[/?]|$)/.exec(uri)?.[1];
    if (host === undefined) return "has no host";
    if (host.toLowerCase() !== url.hostname) return "has a host that browsers read as another one";
    return undefined;
  }
  if (NESTED_ADDRESS.test(uri)) return "holds a web address: register that one";
  return undefined;
}

/**
 * Checks whether a presented redirect URI is one of the registered ones: byte for byte (RFC 9700 §2.1), except for the port of a
 * loopback address, which an app learns only when it listens (RFC 8252 §7.3).
 */
export function matchesRegistered(presented: string, registered: readonly string[]): boolean {
  if (registered.includes(presented)) return true;
  const portless = withoutLoopbackPort(presented);
  return portless !== undefined && registered.some((uri) => withoutLoopbackPort(uri) === portless);
}

/** Checks whether a redirect URI leads back to the person's own machine. */
export function isLoopback(uri: string): boolean {
  return LOOPBACK.test(uri);
}

/** Checks whether a redirect URI leads back to our own origin. The consent page would then name ourselves as the destination. */
export function isOfOrigin(uri: string, origin: string): boolean {
  return new URL(uri).origin === origin;
}

/** Returns where the browser goes, in a form to show to a person: the host, or the private-use scheme. */
export function destinationOf(uri: string): string {
  const url = new URL(uri);
  return url.protocol === "https:" || url.protocol === "http:" ? url.host : url.protocol.slice(0, -1);
}

/**
 * Adds response parameters to a redirect URI without changing its own bytes. Values are percent-encoded, with `%20` for a space,
 * so that a client gets its state back whether or not it decodes `+`.
 */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  const separator = !uri.includes("?") ? "?" : /[?&]$/.test(uri) ? "" : "&";
  return `${uri}${separator}${query}`;
}

/** Returns where the browser tells an app that its request was refused (OAuth 2.1 §4.1.2.1, RFC 9207). */
export function withRefusal(
  {
    redirectUri,
    state,
    issuer,
  }: { readonly redirectUri: string; readonly state: string | undefined; readonly issuer: string },
  { code, description }: { readonly code: string; readonly description: string },
): string {
  return withParameters(redirectUri, { error: code, error_description: description, state, iss: issuer });
}

export function withoutLoopbackPort(uri: string): string | undefined {
  const match = LOOPBACK.exec(uri);
  if (!match || problemOf(uri)) return undefined;
  return `http://${match[1]}${match[3] ?? ""}${match[4] ?? ""}`;
}

function quote(uri: string): string {
  return JSON.stringify(uri.length > 200 ? `${uri.slice(0, 200)}…` : uri);
}
