import { http, noStore, readForm } from "#platform/http.ts";

/** POST /oauth/token: OAuth 2.1 §3.2. Translates HTTP to the token service and back; no rule lives here. */
export const tokenEndpoint = http.createHandlers(noStore, async (c) => {
  const form = await readForm(c);
  return c.json(await c.var.services.tokens.exchange(c.var.instance, form, c.req.header("authorization")));
});
