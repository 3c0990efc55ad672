import type { TokenRotation } from "#service-tokens/rotate-token.ts";
import type { IndexingEnv } from "#resource-server/authentication/gate-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { noStore } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { readBearer } from "#resource-server/authentication/bearer.ts";

const http = createFactory<IndexingEnv<{ readonly tokenRotation: TokenRotation }>>();

/**
 * POST …/rotatetoken, with the token to rotate as its credential. A body is ignored. Each rotation leaves a secret and an audit
 * entry, so calls are rate limited, in case a token is used in a loop or by somebody who stole it.
 */
export const rotateTokenEndpoint = http.createHandlers(noStore, async (c) => {
  const { indexingTokenId, instance, services } = c.var;
  await requireWithinRate(c, "rotation", { token: indexingTokenId });
  const presented = readBearer(c.req.header("authorization")) ?? "";
  return c.json(await services.tokenRotation.rotate(instance.policy.instanceId, indexingTokenId, presented));
});
