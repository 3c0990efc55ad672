import { Hono } from "hono";
import { ROUTE } from "./answer.ts";

/** The floor of a route that works: it reads JSON, and answers as much as an empty search does. */
const app = new Hono();
app.post(ROUTE, async (c) => {
  const { query } = await c.req.json<{ query: string }>();
  const requestId = crypto.randomUUID();
  return c.json({
    results: [],
    hasMoreResults: false,
    trackingToken: requestId,
    requestID: requestId,
    backendTimeMillis: 0,
    metadata: { searchedQuery: query },
  });
});

export default { fetch: app.fetch };
