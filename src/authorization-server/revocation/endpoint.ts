import type { Revocation } from "./revocation.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { noStore, readForm, waitUntil } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";

const http = createFactory<InstanceEnv<{ readonly revocation: Revocation }>>();

/** POST /oauth/revoke (RFC 7009 §2). */
export const revocationEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "token");
  const parameters = await readForm(c);
  const beforeStranger = () => requireWithinRate(c, "unknown-client");
  const authorization = c.req.header("authorization");
  const request = { parameters, authorization, waitUntil: waitUntil(c), beforeStranger };
  await c.var.services.revocation.revoke(c.var.instance, request);
  return c.body(null, 200);
});
