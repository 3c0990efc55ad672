import { isRedirectUri } from "./redirect-uri.ts";

/** Nothing that a path segment does not hold: a `*` never reaches over a slash, into a query, or around an encoded one. */
const WITHIN_SEGMENT = /^[A-Za-z0-9\-._~!$&'()+,;=:@]*$/;

/** A scheme and authority without `*`, then a path that may have some. */
const PATTERN = /^([a-z][a-z0-9+.-]*:\/\/[^/*?#\s]+)(\/[^?#\s]*)?$/;

const LOOPBACK_AUTHORITY = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)$/;

/**
 * Whether an administrator's pattern is one: a redirect URI in full, or one with `*` in its path, where it cannot widen the host.
 * What could match no redirect URI, as http beyond loopback, is none.
 */
export function isRedirectPattern(pattern: string): boolean {
  return isRedirectUri(pattern) || (PATTERN.test(pattern) && isRedirectUri(pattern.replaceAll("*", "x")));
}

/**
 * Whether a redirect URI is one that an administrator approved. `*` stands for any characters of one path segment; a loopback
 * pattern without a port matches every port (RFC 8252 §7.3).
 */
export function matchesPattern(uri: string, pattern: string): boolean {
  if (uri === pattern) return isRedirectUri(uri);
  const [, authority, path = ""] = PATTERN.exec(pattern) ?? [];
  if (authority === undefined || !uri.startsWith(authority)) return false;
  const rest = uri.slice(authority.length);
  return matchesPath(LOOPBACK_AUTHORITY.test(authority) ? rest.replace(/^:[0-9]{1,5}(?=\/|$)/, "") : rest, path);
}

/**
 * Looks for each piece between the `*` once, as early as it comes: an earlier place leaves more to all that follow, so no other has to
 * be tried, and the work grows with the length of the URI alone. A regular expression would try every combination of places, and
 * a caller who knows a pattern could hold the server with a path of dashes.
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
