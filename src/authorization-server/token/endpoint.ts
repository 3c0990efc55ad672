import type { Usage } from "#usage/usage.ts";
import type { Tokens } from "./tokens.ts";
import { readClientRequest } from "#authorization-server/client-authentication/client-request-middleware.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { offerNonce, provedRequest } from "#dpop/proof-middleware.ts";
import type { DpopProofs } from "#dpop/dpop-proofs.ts";
import { createFactory } from "#platform/handlers.ts";
import { answerJson, noStore, waitUntil } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";

const http =
  createFactory<InstanceEnv<{ readonly tokens: Tokens; readonly usage: Usage; readonly dpopProofs: DpopProofs }>>();

/** POST /oauth/token (OAuth 2.1 §3.2). It only translates between HTTP and the token service, and contains no rules. */
export const tokenEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "token");
  const instance = c.get("instance");
  const services = c.get("services");
  const proved = provedRequest(c);
  if (proved.proof !== undefined) await offerNonce(c);
  const request = { ...(await readClientRequest(c)), proved };
  const answer = await services.tokens.exchange(instance, request, (owner) => requireWithinRate(c, "refresh", owner));
  services.usage.note(instance.policy.instanceId, "token", request.parameters.require("grant_type"), waitUntil(c));
  return answerJson(c, answer);
});
