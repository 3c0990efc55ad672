import { readFileSync } from "node:fs";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import type { LocalIssuer } from "./external-issuer.ts";
import { searchRequest } from "./load.ts";
import type { IssuedTokens, JoseOrder, SetupOrder } from "./orders.ts";
import type { BenchWorkerd, WorkerName } from "./workerd.ts";

/** One way to guard the same route. */
export interface Variant {
  readonly worker: WorkerName;
  readonly title: string;
  /** The requests, sent in turn. */
  readonly requests: readonly Buffer[];
  /** The most CPU that it may take, in times of the bare route. */
  readonly budget?: number;
  /** Whether the gate alone is told apart from the id and headers that every answer has. */
  readonly isBesideFrame?: true;
  /** Whether the budget is for what comes on top of a read of D1, whose simulation runs in the measured process. */
  readonly isBesideOneRead?: true;
  /** For Gatehouse's gate: how many signatures and storage operations each request costs. */
  readonly expected?: { readonly verifications: number; readonly storage: number };
}

const ORIGIN = "http://acme.localhost";
/** The nearest peer serves no other host over plain http. */
const PEER_ROUTE = new URL("/rest/api/v1/search", "http://localhost");
const EMAIL = "ben@acme.example";
const CLIENT_ID = "bench-app";
const ROUTE = new URL("/rest/api/v1/search", ORIGIN);

/** More tokens than an isolate remembers: by the time the first comes again, it is forgotten. */
const POOL_SIZE = 6000;

const WARM_BUDGET = 1.15;
const FIRST_SIGHT_BUDGET = 3.3;

/** Makes the instance, its tokens and the peer's, and the requests that carry them. */
export async function prepareVariants(workerd: BenchWorkerd, issuer: LocalIssuer): Promise<Variant[]> {
  const order: SetupOrder = {
    schema: splitSqlQuery(readFileSync("schema.sql", "utf8")),
    origin: ORIGIN,
    instance: "acme",
    email: EMAIL,
    poolSize: POOL_SIZE,
    external: { issuer: issuer.url, jwksUri: issuer.jwksUri, clientId: CLIENT_ID, audience: ORIGIN },
  };
  const issued = await workerd.ask<IssuedTokens>("setup", order);
  const claims = { sub: "ben", azp: CLIENT_ID, aud: ORIGIN, email: EMAIL, email_verified: true, scope: "openid email" };
  const external = Array.from({ length: POOL_SIZE + 1 }, () => issuer.issue(claims));
  const [externalWarm = "", ...externalPool] = external;

  const verifiesOwn: JoseOrder = { publicJwk: issued.ownJwk, issuer: ORIGIN, audience: ORIGIN };
  const verifiesExternal: JoseOrder = { publicJwk: issuer.publicJwk, issuer: issuer.url, audience: ORIGIN };
  await workerd.ask("jose-es256", verifiesOwn);
  await workerd.ask("jose-rs256", verifiesExternal);
  const { access_token: peerToken } = await workerd.ask<{ access_token: string }>("peer");

  const warm = { budget: WARM_BUDGET, isBesideFrame: true, expected: { verifications: 0, storage: 0 } } as const;
  const ownFirstSight = { budget: FIRST_SIGHT_BUDGET, expected: { verifications: 1, storage: 0 } };
  // Who the person is, is read from D1 once a token.
  const externalFirstSight = {
    budget: FIRST_SIGHT_BUDGET,
    isBesideOneRead: true,
    expected: { verifications: 1, storage: 1 },
  } as const;
  const own = bearing([issued.own]);
  return [
    { worker: "bare", title: "bare Hono route", requests: own },
    { worker: "bare-again", title: "the same once more: the noise", requests: own },
    { worker: "one-read", title: "bare Hono route with one `SELECT 1` of D1", requests: own },
    { worker: "framed", title: "bare route with the id and headers of every answer", requests: own },
    { worker: "own-warm", title: "gate, warm: own token (ES256)", requests: own, ...warm },
    {
      worker: "external-warm",
      title: "gate, warm: external token (RS256)",
      requests: announced([externalWarm]),
      ...warm,
    },
    {
      worker: "service-warm",
      title: "gate, warm: service-issued token",
      requests: bearing([issued.serviceIssued]),
      expected: warm.expected,
    },
    {
      worker: "own-first-sight",
      title: "gate, first sight: own token (ES256)",
      requests: bearing(issued.ownPool),
      ...ownFirstSight,
    },
    {
      worker: "external-first-sight",
      title: "gate, first sight: external token (RS256)",
      requests: announced(externalPool),
      ...externalFirstSight,
    },
    { worker: "jose-es256", title: "jose's jwtVerify on each request (ES256)", requests: own },
    { worker: "jose-rs256", title: "jose's jwtVerify on each request (RS256)", requests: bearing([externalWarm]) },
    { worker: "peer", title: "workers-oauth-provider, KV of workerd", requests: bearing([peerToken], PEER_ROUTE) },
    {
      worker: "peer-remembering",
      title: "workers-oauth-provider, KV answered from memory",
      requests: bearing([peerToken], PEER_ROUTE),
    },
  ];
}

function bearing(tokens: readonly string[], url = ROUTE): Buffer[] {
  return tokens.map((token) => searchRequest(url, { Authorization: `Bearer ${token}` }));
}

function announced(tokens: readonly string[]): Buffer[] {
  const header = { "X-Gatehouse-Auth-Type": "OAUTH" };
  return tokens.map((token) => searchRequest(ROUTE, { Authorization: `Bearer ${token}`, ...header }));
}
