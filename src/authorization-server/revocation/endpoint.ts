import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { revoke } from "./revocation.ts";
import { readClientRequest } from "#authorization-server/client-authentication/client-request-middleware.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { noStore } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";

const http = createFactory<InstanceEnv<OAuthServices>>();

/** POST /oauth/revoke (RFC 7009 §2). */
export const revocationEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "token");
  const request = await readClientRequest(c);
  await revoke(c.var.services, c.var.instance, request);
  return c.body(null, 200);
});
