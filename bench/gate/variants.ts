import type { LocalIssuer } from "./external-issuer.ts";
import { jsonRequest, searchRequest } from "./load.ts";
import { accountOf, emailOf, type VerificationSettings } from "./messages.ts";
import { setUp } from "./set-up.ts";
import type { BenchWorkerd, WorkerName } from "./workerd.ts";

/** The most that a variant may cost, relative to another of the same round. */
export interface Budget {
  readonly over: WorkerName;
  readonly most: number;
  /** Whether the cost of a read of D1 is subtracted first, because its simulation runs in the measured process. */
  readonly isBesideOneRead?: true;
}

/** One way to guard the same route. */
export interface Variant {
  readonly worker: WorkerName;
  readonly title: string;
  /** The requests, sent in turn. */
  readonly requests: readonly Buffer[];
  /** How many are sent before it is measured, if that must be fewer than usual. */
  readonly warmUpRequests?: number;
  /** The most that it may cost. */
  readonly budgets?: readonly Budget[];
  /** For Gatehouse's gate: the signatures and storage operations of each request. */
  readonly expected?: { readonly verifications: number; readonly storage: number };
}

const ORIGIN = "http://acme.localhost";
/** The nearest peer serves only this host over plain http. */
const PEER_ROUTE = new URL("/rest/api/v1/search", "http://localhost");
const EMAIL = "ben@acme.example";
const CLIENT_ID = "bench-app";
const ROUTE = new URL("/rest/api/v1/search", ORIGIN);

/** More tokens than an isolate caches: when the first one is used again, it is no longer cached. */
const POOL_SIZE = 6000;

/** More people than an isolate caches: when an account is used again, its person has to be read again. */
const ACCOUNTS = 3000;

const WARM_BUDGETS: readonly Budget[] = [
  { over: "bare", most: 1.15 },
  { over: "bare-named", most: 1.05 },
];

/** Creates the instance, its tokens and the peer's, and the requests that carry them. */
export async function prepareVariants(workerd: BenchWorkerd, issuer: LocalIssuer): Promise<Variant[]> {
  const provider = { issuer: issuer.url, jwksUri: issuer.jwksUri, clientId: CLIENT_ID };
  const issued = await setUp(workerd, ORIGIN, provider, {
    email: EMAIL,
    poolSize: POOL_SIZE,
    accounts: ACCOUNTS,
  });
  const claims = { sub: "ben", azp: CLIENT_ID, aud: ORIGIN, email: EMAIL, email_verified: true, scope: "openid email" };
  const external = Array.from({ length: POOL_SIZE + 1 }, () => issuer.issue(claims));
  const [externalWarm = "", ...externalPool] = external;
  const externalUnread = Array.from({ length: POOL_SIZE }, (_, at) => {
    const sub = accountOf(at % ACCOUNTS);
    return issuer.issue({ ...claims, sub, email: emailOf(sub) });
  });

  const verifiesOwn: VerificationSettings = { publicJwk: issued.ownJwk, issuer: ORIGIN, audience: ORIGIN };
  const verifiesExternal: VerificationSettings = { publicJwk: issuer.publicJwk, issuer: issuer.url, audience: ORIGIN };
  await workerd.ask("jose-es256", verifiesOwn);
  await workerd.ask("jose-rs256", verifiesExternal);
  const { access_token: peerToken } = await workerd.ask<{ access_token: string }>("peer");

  const warm = { budgets: WARM_BUDGETS, expected: { verifications: 0, storage: 0 } };
  const ownFirstSight = { budgets: [{ over: "bare", most: 2.6 }], expected: { verifications: 1, storage: 0 } } as const;
  const externalFirstSight = {
    budgets: [{ over: "bare", most: 3.3 }],
    expected: { verifications: 1, storage: 0 },
  } as const;
  // The person is read from D1.
  const externalUnreadPerson = {
    budgets: [{ over: "bare", most: 3.3, isBesideOneRead: true }],
    expected: { verifications: 1, storage: 1 },
  } as const;
  const own = bearing([issued.own]);
  return [
    { worker: "bare", title: "bare Hono route", requests: own },
    { worker: "bare-again", title: "the same again: the noise", requests: own },
    { worker: "bare-named", title: "bare Hono route as wrangler builds it, with `keep_names`", requests: own },
    { worker: "one-read", title: "bare Hono route that reads a person from D1", requests: own },
    { worker: "framed", title: "bare route with the id and headers of every response", requests: own },
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
      title: "gate, first sight: external token (RS256) of a person the isolate remembers",
      requests: announced(externalPool),
      ...externalFirstSight,
    },
    {
      worker: "external-unread",
      title: "gate, first sight: external token (RS256) of a person who is read from D1",
      requests: announced(externalUnread),
      ...externalUnreadPerson,
    },
    { worker: "reading", title: "bare Hono route that reads JSON and responds", requests: own },
    {
      worker: "whole",
      title: "`/search` before its statement, own token",
      // Only an excluded word, so the documents are not searched.
      requests: [jsonRequest(ROUTE, bearer(issued.own), { query: "-roadmap", pageSize: 10 })],
      budgets: [{ over: "reading", most: 1.25 }],
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
  return tokens.map((token) => searchRequest(url, bearer(token)));
}

function announced(tokens: readonly string[]): Buffer[] {
  return tokens.map((token) => searchRequest(ROUTE, { ...bearer(token), "X-Gatehouse-Auth-Type": "OAUTH" }));
}

function bearer(token: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
