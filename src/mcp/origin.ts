/** Pages on this machine, under the names that development has for it. */
const LOOPBACK = /^http:\/\/(?:localhost|[^/:]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/**
 * Whether the web page of this origin may call the MCP endpoint (2026-07-28, Security & Endpoint).
 *
 * The threat is DNS rebinding: a page that makes its own name lead to this server, and then counts as same-origin. Such a page is
 * of plain http, as a server on this machine is, or shows a certificate that browsers refuse. A page over https therefore calls
 * across origins, as what it is, with a token that somebody gave it. An origin of no web scheme is an app's own shell.
 */
export function isPermittedOrigin(origin: string): boolean {
  if (origin.startsWith("https://")) return URL.canParse(origin);
  if (origin.startsWith("http://")) return LOOPBACK.test(origin);
  return /^[a-z][a-z0-9+.-]*:\/\//.test(origin);
}
