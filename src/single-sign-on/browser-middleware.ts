import { randomSecret } from "#crypto/secrets.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { createMiddleware } from "#platform/handlers.ts";
import { HostCookie } from "#platform/http.ts";

/** Handlers behind {@link browserBinding}. */
export type BrowserEnv<Services extends object = object> = InstanceEnv<
  Services,
  {
    /** The secret that binds authorization requests to this browser. */
    browser: string;
  }
>;

/** It lasts somewhat longer than an authorization request can. */
const COOKIE = new HostCookie("browser", 3600);

/**
 * Binds authorization requests to one browser by a secret in a cookie. Tabs share it, so several requests can be in progress. For any
 * other browser, a request doesn't exist.
 */
export const browserBinding = createMiddleware<BrowserEnv>(async (c, next) => {
  const { issuer } = c.var.instance;
  const presented = COOKIE.read(c, issuer);
  const browser = presented !== undefined && /^[A-Za-z0-9_-]{43}$/.test(presented) ? presented : randomSecret();
  c.set("browser", browser);
  COOKIE.write(c, issuer, browser);
  await next();
});
