import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { introspect } from "./introspection.ts";
import { readClientRequest } from "#authorization-server/client-authentication/client-request-middleware.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { noStore } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";

const http = createFactory<InstanceEnv<OAuthServices>>();

/** POST /oauth/introspect (RFC 7662 §2). */
export const introspectionEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "token");
  const request = await readClientRequest(c);
  return c.json(await introspect(c.get("services"), c.get("instance"), request));
});
