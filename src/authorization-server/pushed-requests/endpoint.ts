import { readClientRequest } from "#authorization-server/client-authentication/client-request-middleware.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { offerNonce, provedRequest } from "#dpop/proof-middleware.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { noStore } from "#platform/http.ts";
import { callerNetwork, requireWithinRate } from "#platform/rate-limit.ts";
import { push } from "./pushed-requests.ts";

const http = createFactory<InstanceEnv<OAuthServices>>();

/** POST /oauth/par (RFC 9126 §2). */
export const pushedRequestEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "token");
  await requireWithinRate(c, "pushed-request");
  const proved = provedRequest(c);
  if (proved.proof !== undefined) await offerNonce(c);
  const request = { ...(await readClientRequest(c)), proved };
  return c.json(await push(c.var.services, c.var.instance, request, callerNetwork(c)), 201);
});
