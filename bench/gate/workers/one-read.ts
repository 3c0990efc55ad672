import { Hono } from "hono";
import { accountOf } from "../messages.ts";
import { answerConstant, ROUTE } from "./answer.ts";

/** Reads a person by their key, with the columns that the gate reads. */
const PERSON = "SELECT id, email, deactivated_at, signed_out_at FROM people WHERE id = ?1";

/** The floor plus one read of D1. Its cost here is that of the simulation in the same process. */
const app = new Hono<{ Bindings: { DB: D1Database } }>();
app.post(ROUTE, async (c) => {
  const person = await c.env.DB.prepare(PERSON).bind(accountOf(0)).first();
  return person === null ? c.notFound() : answerConstant(c);
});

export default { fetch: app.fetch };
