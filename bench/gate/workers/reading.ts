import { Hono } from "hono";
import { ROUTE } from "./answer.ts";

/** The floor of a real route: it reads JSON and sends a response as large as an empty search. */
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
