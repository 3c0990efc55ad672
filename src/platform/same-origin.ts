import { OAuthError } from "#protocol/errors.ts";
import type { RequestContext } from "./http.ts";

/**
 * A form of ours can only be posted from our own page; a browser says where a post comes from. `Origin: null` says nothing: it is
 * what our own `Referrer-Policy: no-referrer` makes of it (Fetch §3.2), so the form's CSRF token decides there.
 *
 * @throws {OAuthError} `invalid_request`
 */
export function requireSameOrigin(c: RequestContext, issuer: string): void {
  const origin = c.req.header("origin");
  const site = c.req.header("sec-fetch-site");
  const isForeignOrigin = origin !== undefined && origin !== "null" && origin !== issuer;
  const isForeignSite = site !== undefined && site !== "same-origin";
  if (isForeignOrigin || isForeignSite) throw new OAuthError("invalid_request", { reason: "cross_site_post" });
}
