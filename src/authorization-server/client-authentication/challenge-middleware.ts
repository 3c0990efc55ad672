import type { InstanceEnv } from "#instance/middleware.ts";
import { createMiddleware } from "#platform/handlers.ts";

/** Adds a Basic challenge to a 401 if the client tried to authenticate with the Authorization header (RFC 6749 §5.2). */
export const basicChallenge = createMiddleware<InstanceEnv>(async (c, next) => {
  await next();
  if (c.res.status === 401 && c.req.header("authorization") !== undefined) {
    c.header("WWW-Authenticate", `Basic realm="${c.var.instance.issuer}"`);
  }
});
