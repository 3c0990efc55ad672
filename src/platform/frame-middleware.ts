import type { Bindings } from "./bindings.ts";
import { createMiddleware } from "hono/factory";
import type { RouteEnv } from "./route-env.ts";

/**
 * The frame around every answer: an id that the logs hold too, the services, and the headers that hold for all. Answers are JSON
 * for callers of the APIs until a route says otherwise.
 *
 * Headers are set on the answer as it stands. `c.header` would make a new answer of a finished one for each of them, and every
 * call of the APIs would pay for it (docs/performance.md).
 */
export function requestFrame<Services extends object>(servicesOf: (bindings: Bindings) => Services) {
  return createMiddleware<RouteEnv<Services>>(async (c, next) => {
    const requestId = crypto.randomUUID();
    c.set("requestId", requestId);
    c.set("answerForm", "api");
    c.set("services", servicesOf(c.env));
    await next();
    const { headers } = c.res;
    headers.set("X-Request-Id", requestId);
    headers.set("X-Content-Type-Options", "nosniff");
    if (c.req.url.startsWith("https:")) headers.set("Strict-Transport-Security", "max-age=31536000");
  });
}
