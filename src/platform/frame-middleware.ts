import type { Bindings } from "./bindings.ts";
import { createMiddleware } from "./handlers.ts";
import type { RouteEnv } from "./route-env.ts";

/**
 * The frame around every answer: an id that the logs hold too, the services, and the headers that hold for all. Answers are JSON
 * for callers of the APIs until a route says otherwise.
 *
 * Headers are set on the answer as it stands. `c.header` would make a new answer of a finished one for each of them, and every
 * page would pay for it; the answers of the APIs are made with them (`answerJson`).
 */
export function requestFrame<Services extends object>(servicesOf: (bindings: Bindings) => Services) {
  return createMiddleware<RouteEnv<Services>>(async (c, next) => {
    const requestId = crypto.randomUUID();
    const frame = { headers: headersOf(requestId, c.req.raw.url), isGiven: false };
    c.set("requestId", requestId);
    c.set("frame", frame);
    c.set("answerForm", "api");
    c.set("services", servicesOf(c.env));
    await next();
    if (frame.isGiven) return;
    for (const name in frame.headers) c.res.headers.set(name, frame.headers[name] ?? "");
  });
}

function headersOf(requestId: string, url: string): Readonly<Record<string, string>> {
  const always = { "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" };
  return url.startsWith("https:") ? { ...always, "Strict-Transport-Security": "max-age=31536000" } : always;
}
