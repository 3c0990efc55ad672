import { answerJson } from "#platform/http.ts";
import type { RouteEnv } from "#platform/route-env.ts";
import type { Context } from "hono";

/** The route of every variant. */
export const ROUTE = "/rest/api/v1/search";

const CONSTANT = { results: [], hasMoreResults: false };

/** The handler behind every gate. It does next to nothing, so that only the gate is measured. */
export function answerConstant(c: Context): Response {
  return c.json(CONSTANT);
}

/** The same response as the routes of the APIs send it, with the headers that all responses have. */
export function answerFramed(c: Pick<Context<RouteEnv>, "get">): Response {
  return answerJson(c, CONSTANT);
}
