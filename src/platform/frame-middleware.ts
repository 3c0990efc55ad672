import { http } from "./http.ts";

/**
 * The frame around every answer: an id that the logs hold too, and the headers that hold for all. Answers are JSON for callers
 * of the APIs until a route says otherwise.
 */
export const requestFrame = http.createMiddleware(async (c, next) => {
  c.set("requestId", crypto.randomUUID());
  c.set("answerForm", "api");
  await next();
  c.header("X-Request-Id", c.var.requestId);
  c.header("X-Content-Type-Options", "nosniff");
  if (c.req.url.startsWith("https:")) c.header("Strict-Transport-Security", "max-age=31536000");
});
