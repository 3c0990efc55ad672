import type { Introspection } from "./introspection.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { noStore, readForm, waitUntil } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";

const http = createFactory<InstanceEnv<{ readonly introspection: Introspection }>>();

/** POST /oauth/introspect (RFC 7662 §2). */
export const introspectionEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "token");
  const parameters = await readForm(c);
  const beforeStranger = () => requireWithinRate(c, "unknown-client");
  const authorization = c.req.header("authorization");
  const request = { parameters, authorization, waitUntil: waitUntil(c), beforeStranger };
  return c.json(await c.get("services").introspection.introspect(c.get("instance"), request));
});
