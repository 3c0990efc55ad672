import { isRedirectUri } from "./redirect-uri.ts";

/** Nothing that a path segment does not hold: a `*` never reaches over a slash, into a query, or around an encoded one. */
const ANY_IN_SEGMENT = "[A-Za-z0-9\\-._~!$&'()+,;=:@]*";

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
  if (authority === undefined) return false;
  const port = LOOPBACK_AUTHORITY.test(authority) ? "(?::[0-9]{1,5})?" : "";
  const segments = path.split(/\*+/).map(escape).join(ANY_IN_SEGMENT);
  return new RegExp(`^${escape(authority)}${port}${segments}$`).test(uri);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
