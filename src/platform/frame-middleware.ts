import type { Bindings } from "./bindings.ts";
import { setFrameHeaders } from "./frame-headers.ts";
import { createMiddleware } from "./handlers.ts";
import type { AnswerFrame, RouteEnv } from "./route-env.ts";

/**
 * The frame around every answer: an id that the logs hold too, the services, and the headers that hold for all. Answers are JSON
 * for callers of the APIs until a route says otherwise.
 *
 * Headers are set on the answer as it stands. `c.header` would make a new answer of a finished one for each of them, and every
 * page would pay for it; the answers of the APIs are made with them (`answerJson`).
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

/** All of a URL up to its path: what the platform has written already needs no parsing to be told apart. */
function originOf(url: string): string {
  return url.slice(0, url.indexOf("/", "https://".length));
}
