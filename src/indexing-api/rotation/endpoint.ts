import type { TokenRotation } from "#service-tokens/rotate-token.ts";
import type { IndexingEnv } from "#resource-server/authentication/gate-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { noStore } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { readBearer } from "#resource-server/authentication/bearer.ts";

const http = createFactory<IndexingEnv<{ readonly tokenRotation: TokenRotation }>>();

/**
 * POST …/rotatetoken, with the token to rotate as its credential. Whatever body comes along says nothing. Each rotation leaves a
 * secret and an entry of the audit, so a token that is in a loop, or in wrong hands, is held to a rate.
 */
export const rotateTokenEndpoint = http.createHandlers(noStore, async (c) => {
  const { indexingTokenId, instance, services } = c.var;
  await requireWithinRate(c, "rotation", { token: indexingTokenId });
  const presented = readBearer(c.req.header("authorization")) ?? "";
  return c.json(await services.tokenRotation.rotate(instance.policy.instanceId, indexingTokenId, presented));
});
