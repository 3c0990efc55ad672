import { answerJson } from "#platform/http.ts";
import type { RouteEnv } from "#platform/route-env.ts";
import type { Context } from "hono";

/** Where every variant answers. */
export const ROUTE = "/rest/api/v1/search";

const CONSTANT = { results: [], hasMoreResults: false };

/** The work behind every gate: next to none, so that what is measured is what stands before it. */
export function answerConstant(c: Context): Response {
  return c.json(CONSTANT);
}

/** The same as the routes of the APIs answer, with the headers of every answer. */
export function answerFramed(c: Pick<Context<RouteEnv>, "get">): Response {
  return answerJson(c, CONSTANT);
}
