import type { InstanceEnv } from "#instance/middleware.ts";
import { createMiddleware } from "#platform/handlers.ts";

/** A failed Basic authentication is answered with the scheme that was tried (RFC 6749 §5.2). */
export const basicChallenge = createMiddleware<InstanceEnv>(async (c, next) => {
  await next();
  if (c.res.status === 401 && c.req.header("authorization") !== undefined) {
    c.header("WWW-Authenticate", `Basic realm="${c.var.instance.issuer}"`);
  }
});
