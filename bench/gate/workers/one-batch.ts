import { Hono } from "hono";

/** Advances one row of a grant, found by its key alone. */
const MOVE =
  "UPDATE grants SET generation = generation + 1, rotated_at = ?2, tokens_until = ?2 WHERE id = ?1 RETURNING id";

/**
 * The floor of the token endpoint: it reads a form, writes one row in one batch of D1, and sends a response as large as tokens.
 */
const app = new Hono<{ Bindings: { DB: D1Database } }>();
app.post("/oauth/token", async (c) => {
  const form = new URLSearchParams(await c.req.text());
  const now = Math.floor(Date.now() / 1000);
  await c.env.DB.batch([c.env.DB.prepare(MOVE).bind(form.get("id"), now)]);
  return c.json({
    access_token: "a".repeat(600),
    token_type: "Bearer",
    expires_in: 3600,
    scope: "SEARCH",
    refresh_token: "b".repeat(76),
  });
});

export default { fetch: app.fetch };
