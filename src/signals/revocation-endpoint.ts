import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { noStore, readJsonObject, waitUntil } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { readBearer } from "#resource-server/authentication/bearer.ts";
import { challengeOf } from "#resource-server/authentication/gate-middleware.ts";
import { revokeAll } from "./global-token-revocation.ts";
import type { SignalServices } from "./signal-services.ts";

const http = createFactory<InstanceEnv<SignalServices>>();

/** Maximum size of a request, which has one subject identifier. */
const BODY_BYTES_MAX = 16 * 1024;

/** POST /oauth/global-token-revocation (draft-parecki-oauth-global-token-revocation). */
export const globalTokenRevocationEndpoint = http.createHandlers(noStore, async (c) => {
  c.get("frame").challenge = challengeOf("Global Token Revocation");
  await requireWithinRate(c, "signal");
  const assertion = readBearer(c.req.header("authorization"));
  const body = await readJsonObject(c, BODY_BYTES_MAX);
  await revokeAll(c.var.services, c.var.instance, assertion, body, waitUntil(c));
  return c.body(null, 204);
});
