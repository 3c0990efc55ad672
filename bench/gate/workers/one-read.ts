import { Hono } from "hono";
import { answerConstant, ROUTE } from "./answer.ts";

/** The floor and one read of D1, which here costs what its simulation in the same process costs. */
const app = new Hono<{ Bindings: { DB: D1Database } }>();
app.post(ROUTE, async (c) => {
  await c.env.DB.prepare("SELECT 1").first();
  return answerConstant(c);
});

export default { fetch: app.fetch };
