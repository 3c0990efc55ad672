/** Pages on the local machine, under the names that development uses for it. */
const LOOPBACK = /^http:\/\/(?:localhost|[^/:]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/**
 * Checks whether the web page of an origin may call the MCP endpoint (2026-07-28, Security & Endpoint).
 *
 * The threat is DNS rebinding: a page makes its own name resolve to this server, and then counts as same-origin. Such a page uses
 * plain http, as a server on the local machine does, or shows a certificate that browsers refuse. A page over https is therefore
 * a cross-origin caller under its true name, with a token that somebody gave it. An origin whose scheme isn't one of the web is
 * an app's own shell.
 */
export function isPermittedOrigin(origin: string): boolean {
  if (origin.startsWith("https://")) return URL.canParse(origin);
  if (origin.startsWith("http://")) return LOOPBACK.test(origin);
  return /^[a-z][a-z0-9+.-]*:\/\//.test(origin);
}
