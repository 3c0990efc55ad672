import { cors } from "hono/cors";
import type { Context, Next } from "hono";
import { createMiddleware } from "./handlers.ts";

/** What a page's script may read of an answer beside its body: the way in, the id to quote, when to try again, and a proof's nonce. */
const EXPOSED = ["WWW-Authenticate", "X-Request-Id", "Retry-After", "DPoP-Nonce"];

const preflight = cors({ origin: "*", exposeHeaders: EXPOSED, maxAge: 600 });

/**
 * What any web page may call: it carries its own token, never a cookie (Fetch §3.3). Everything else is closed to other origins.
 *
 * Hono answers CORS preflights. On the call itself, its middleware would make a second response
 * (docs/performance-experiments.md), so the same two headers are set on the response that there is.
 */
export const openToBrowserApps = createMiddleware((c, next) => {
  const { method } = c.req;
  if (method === "OPTIONS") return preflight(c, next);
  // A cached answer has them whichever caller came first.
  return method !== "GET" && c.req.header("origin") === undefined ? next() : openAnswer(c, next);
});

async function openAnswer(c: Pick<Context, "res">, next: Next): Promise<void> {
  await next();
  c.res.headers.set("Access-Control-Allow-Origin", "*");
  c.res.headers.set("Access-Control-Expose-Headers", EXPOSED.join(","));
}
