import { isRedirectUri } from "./redirect-uri.ts";

/** The text that a `*` may match: part of one path segment. It never contains a slash, encoded or not, and never reaches into a query. */
const WITHIN_SEGMENT = /^[A-Za-z0-9\-._~!$&'()+,;=:@]*$/;

/** A scheme and authority without `*`, then a path that may contain some. */
const PATTERN = /^([a-z][a-z0-9+.-]*:\/\/[^/*?#\s]+)(\/[^?#\s]*)?$/;

const LOOPBACK_AUTHORITY = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)$/;

/**
 * Checks whether an administrator's pattern is valid: a redirect URI in full, or one with `*` in its path, where it cannot widen
 * the host. A pattern that could match no redirect URI, such as http beyond loopback, is invalid.
 */
export function isRedirectPattern(pattern: string): boolean {
  return isRedirectUri(pattern) || (PATTERN.test(pattern) && isRedirectUri(pattern.replaceAll("*", "x")));
}

/**
 * Checks whether a redirect URI matches a pattern that an administrator approved. `*` stands for any characters of one path
 * segment; a loopback pattern without a port matches every port (RFC 8252 §7.3).
 */
export function matchesPattern(uri: string, pattern: string): boolean {
  if (uri === pattern) return isRedirectUri(uri);
  const [, authority, path = ""] = PATTERN.exec(pattern) ?? [];
  if (authority === undefined || !uri.startsWith(authority)) return false;
  const rest = uri.slice(authority.length);
  return matchesPath(LOOPBACK_AUTHORITY.test(authority) ? rest.replace(/^:[0-9]{1,5}(?=\/|$)/, "") : rest, path);
}

/**
 * Finds each piece between the `*` once, at its earliest place. An earlier place leaves more text for all pieces that follow, so
 * no other place has to be tried, and the work grows only with the length of the URI. A regular expression would try every
 * combination of places, so a caller who knows a pattern could keep the server busy with a path of dashes.
 */
function matchesPath(path: string, pattern: string): boolean {
  const [first = "", ...pieces] = pattern.split(/\*+/);
  const last = pieces.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first) || !path.endsWith(last)) return false;
  const end = path.length - last.length;
  let at = first.length;
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found < 0 || !WITHIN_SEGMENT.test(path.slice(at, found))) return false;
    at = found + piece.length;
  }
  return at <= end && WITHIN_SEGMENT.test(path.slice(at, end));
}
