import { Hono } from "hono";

/** What moves one row of a grant on, by nothing but its key. */
const MOVE =
  "UPDATE grants SET generation = generation + 1, rotated_at = ?2, tokens_until = ?2 WHERE id = ?1 RETURNING id";

/** The floor of the token endpoint: it reads a form, writes one row in one batch of D1, and answers as much as tokens are. */
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
