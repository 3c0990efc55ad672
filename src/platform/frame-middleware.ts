import type { Bindings } from "./bindings.ts";
import { setFrameHeaders } from "./frame-headers.ts";
import { createMiddleware } from "./handlers.ts";
import type { AnswerFrame, RouteEnv } from "./route-env.ts";

/**
 * Wraps every request: creates a request id, which is also in the logs, the services, and the headers of all responses. Refusals
 * are in the form of the APIs, JSON, until a route chooses another.
 *
 * Headers are set on the existing response. `c.header` would create a new response from a finished one for each header, which would
 * cost every page; responses of the APIs are created with these headers (`answerJson`).
 */
export function requestFrame<Services extends object>(servicesOf: (bindings: Bindings) => Services) {
  return createMiddleware<RouteEnv<Services>>(async (c, next) => {
    const origin = originOf(c.req.url);
    const frame: AnswerFrame = {
      requestId: crypto.randomUUID(),
      origin,
      isSecure: origin.startsWith("https:"),
      dpopNonce: undefined,
      challenge: undefined,
      made: undefined,
    };
    c.set("frame", frame);
    c.set("services", servicesOf(c.env));
    await next();
    if (c.res !== frame.made) setFrameHeaders(c.res.headers, frame);
  });
}

/** Returns a URL up to its path. The platform has already normalised the URL, so this needs no parser. */
function originOf(url: string): string {
  return url.slice(0, url.indexOf("/", "https://".length));
}
