import { Hono } from "hono";
import { answerConstant, ROUTE } from "./answer.ts";

/** The floor plus one read of D1. Its cost here is that of the simulation in the same process. */
const app = new Hono<{ Bindings: { DB: D1Database } }>();
app.post(ROUTE, async (c) => {
  await c.env.DB.prepare("SELECT 1").first();
  return answerConstant(c);
});

export default { fetch: app.fetch };
