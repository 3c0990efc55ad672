import { Hono } from "hono";
import { answerConstant, ROUTE } from "./answer.ts";

/** The floor: Hono, one route, no gate. */
const app = new Hono();
app.post(ROUTE, answerConstant);

export default { fetch: app.fetch };
