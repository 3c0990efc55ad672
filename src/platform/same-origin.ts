import { OAuthError } from "#protocol/errors.ts";
import type { RequestContext } from "./http.ts";

/**
 * Requires that a form is posted from our own page, if the browser says where the post comes from. `Origin: null` doesn't say: our
 * own `Referrer-Policy: no-referrer` causes it too (Fetch §3.2), so the form's CSRF token decides then.
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
