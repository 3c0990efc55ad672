import { randomSecret } from "#crypto/random.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "#platform/handlers.ts";

/** Handlers behind {@link browserBinding}. */
export type BrowserEnv<Services extends object = object> = InstanceEnv<
  Services,
  {
    /** The secret that binds authorization requests to this browser. */
    browser: string;
  }
>;

/** Somewhat longer than an authorization request can last. */
const LIFETIME_SECONDS = 3600;

/**
 * Binds authorization requests to one browser by a secret in a cookie. Tabs share it, so several requests can be in progress. For any
 * other browser, a request doesn't exist.
 *
 * With https, the cookie's name starts with `__Host-`, so no other host can set or overwrite it. With http, which only local
 * development uses, browsers accept neither the prefix nor `Secure`.
 */
export const browserBinding = createMiddleware<BrowserEnv>(async (c, next) => {
  const secure = c.var.instance.issuer.startsWith("https:");
  const name = secure ? "__Host-gatehouse-browser" : "gatehouse-browser";
  const presented = getCookie(c, name);
  const browser = presented !== undefined && /^[A-Za-z0-9_-]{43}$/.test(presented) ? presented : randomSecret();
  c.set("browser", browser);
  setCookie(c, name, browser, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge: LIFETIME_SECONDS });
  await next();
});
