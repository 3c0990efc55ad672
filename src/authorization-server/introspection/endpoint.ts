import { http, noStore, readForm } from "#platform/http.ts";

/** POST /oauth/introspect (RFC 7662 §2). */
export const introspectionEndpoint = http.createHandlers(noStore, async (c) => {
  const form = await readForm(c);
  return c.json(await c.var.services.introspection.introspect(c.var.instance, form, c.req.header("authorization")));
});
