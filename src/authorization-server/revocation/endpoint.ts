import { http, noStore, readForm } from "#platform/http.ts";

/** POST /oauth/revoke (RFC 7009 §2). */
export const revocationEndpoint = http.createHandlers(noStore, async (c) => {
  const form = await readForm(c);
  await c.var.services.revocation.revoke(c.var.instance, form, c.req.header("authorization"));
  return c.body(null, 200);
});
