import { cors } from "hono/cors";
import type { Context, Next } from "hono";
import { createMiddleware } from "./handlers.ts";

/**
 * Response headers that a page's script may read: how to authenticate, the id to quote, when to retry, and a nonce for proofs.
 */
const EXPOSED = ["WWW-Authenticate", "X-Request-Id", "Retry-After", "DPoP-Nonce"];

const preflight = cors({ origin: "*", exposeHeaders: EXPOSED, maxAge: 600 });

/**
 * Opens routes to all web pages. Their callers send a token, never a cookie (Fetch §3.3). All other routes are closed to other origins.
 *
 * Hono answers CORS preflights. On the call itself, its middleware would create a second response
 * (docs/decisions/0045-a-fast-request-path.md), so the same two headers are set on the existing response.
 */
export const openToBrowserApps = createMiddleware((c, next) => {
  const { method } = c.req;
  if (method === "OPTIONS") return preflight(c, next);
  // A cached response needs them whichever caller came first.
  return method !== "GET" && c.req.header("origin") === undefined ? next() : openAnswer(c, next);
});

async function openAnswer(c: Pick<Context, "res">, next: Next): Promise<void> {
  await next();
  c.res.headers.set("Access-Control-Allow-Origin", "*");
  c.res.headers.set("Access-Control-Expose-Headers", EXPOSED.join(","));
}
