/**
 * `npm run bench:token`: measures what a code exchange and a refresh cost, compared with a route that writes one row in one
 * batch.
 */
import { decodeJwt } from "jose";
import { formRequest } from "./gate/load.ts";
import { measure } from "./gate/measurement.ts";
import type { TokenForms } from "./gate/messages.ts";
import { readOptions } from "./gate/options.ts";
import { blocksOf, tableOf } from "./gate/report.ts";
import { setUp } from "./gate/set-up.ts";
import type { Variant } from "./gate/variants.ts";
import { BenchWorkerd, TOKEN_WORKERS, type WorkerName } from "./gate/workerd.ts";

const ORIGIN = "http://acme.localhost";
const ENDPOINT = new URL("/oauth/token", ORIGIN);
/** The token endpoint of both libraries. */
const PEER_ENDPOINT = new URL("/token", "http://localhost");

const { rounds, countsInstructions, choose } = readOptions(20);

/**
 * The number of codes and of refresh tokens for all rounds, because each works once. Blocks of instructions are short.
 */
const TOKEN_REQUESTS = countsInstructions ? 2000 : 14_000;

/** Fewer than for a route that accepts the same request again, but enough for V8 to optimise what runs. */
const WARM_UP_REQUESTS = 1500;

/** Fewer fit into a block, because each takes several statements. */
const OIDC_TOKEN_REQUESTS = countsInstructions ? 2000 : 6000;

/** workers-oauth-provider also accepts the refresh token before the latest one, so the same ones can be sent again and again. */
const PEER_GRANTS = 16;

const workerd = await BenchWorkerd.start(["setup", ...TOKEN_WORKERS], countsInstructions);
try {
  const provider = { issuer: "https://idp.example", jwksUri: "https://idp.example/jwks", clientId: "app" };
  const { own, redemptions, refreshes } = await setUp(workerd, ORIGIN, provider, { tokenRequests: TOKEN_REQUESTS });
  const requestsOf = (forms: typeof redemptions, endpoint = ENDPOINT) =>
    forms.map((form) => formRequest(endpoint, form));
  const oidcForms = (worker: WorkerName) =>
    workerd.ask<TokenForms>(worker, { count: worker === "oidc-remembering" ? TOKEN_REQUESTS : OIDC_TOKEN_REQUESTS });
  const writes = [formRequest(ENDPOINT, { id: decodeJwt<{ grant_id: string }>(own).grant_id })];
  const shared = { warmUpRequests: WARM_UP_REQUESTS };
  const variants: Variant[] = [
    { worker: "one-batch", title: "reads a form, writes one row in one batch", requests: writes, ...shared },
    { worker: "one-batch-again", title: "the same again: the noise", requests: writes, ...shared },
    {
      worker: "redeeming",
      title: "code exchange",
      requests: requestsOf(redemptions),
      budgets: [{ over: "one-batch", most: 1.1 }],
      ...shared,
    },
    {
      worker: "refreshing",
      title: "refresh",
      requests: requestsOf(refreshes),
      budgets: [{ over: "one-batch", most: 1.3 }],
      ...shared,
    },
    {
      worker: "oidc-redeeming",
      title: "oidc-provider: code exchange, storage in D1",
      requests: requestsOf((await oidcForms("oidc-redeeming")).redemptions, PEER_ENDPOINT),
      ...shared,
    },
    {
      worker: "oidc-refreshing",
      title: "oidc-provider: refresh, storage in D1",
      requests: requestsOf((await oidcForms("oidc-refreshing")).refreshes, PEER_ENDPOINT),
      ...shared,
    },
    {
      worker: "oidc-remembering",
      title: "oidc-provider: refresh, storage in memory",
      requests: requestsOf((await oidcForms("oidc-remembering")).refreshes, PEER_ENDPOINT),
      ...shared,
    },
    {
      worker: "peer-refreshing",
      title: "workers-oauth-provider: refresh, KV of workerd",
      requests: requestsOf(await peerRefreshes(), PEER_ENDPOINT),
      ...shared,
    },
  ];
  const measured = await measure(workerd, choose(variants), rounds, (progress) => console.error(progress));
  const floor = { name: "one batch", of: () => blocksOf(measured, "one-batch") };
  console.log(tableOf(measured, rounds, workerd.meter.unit, floor));
} finally {
  await workerd.stop();
}

async function peerRefreshes(): Promise<TokenForms["refreshes"]> {
  const forms: TokenForms["refreshes"] = [];
  while (forms.length < PEER_GRANTS) {
    const issued = await workerd.ask<{ client_id: string; refresh_token: string }>("peer-refreshing");
    forms.push({ grant_type: "refresh_token", client_id: issued.client_id, refresh_token: issued.refresh_token });
  }
  return forms;
}
