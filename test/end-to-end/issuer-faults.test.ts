import { importJWK, SignJWT } from "jose";
import { describe, expect, inject, it } from "vitest";
import type { IssuerCounts, IssuerState } from "../support/provided.d.ts";
import { ORIGIN } from "../support/node/gatehouse.ts";

const { origin, keys } = inject("issuers");
const { publicJwk, privateJwk } = keys["rsa"] ?? absent();

/** A trusted issuer of the running Gatehouse. */
class RegisteredIssuer {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async set(changes: Partial<IssuerState>): Promise<void> {
    await fetch(`${origin}/control/${this.#name}`, { method: "PUT", body: JSON.stringify(changes) });
  }

  async counts(): Promise<IssuerCounts> {
    return (await (await fetch(`${origin}/control/${this.#name}`)).json()) as IssuerCounts;
  }

  async token(email = "farid@acme.example"): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = { azp: "portal", sub: `account of ${email}`, email, email_verified: true, jti: crypto.randomUUID() };
    return new SignJWT({ ...claims, iss: `${origin}/${this.#name}`, iat: now, exp: now + 600 })
      .setProtectedHeader({ alg: "RS256", kid: privateJwk.kid })
      .sign(await importJWK(privateJwk, "RS256"));
  }
}

function search(token: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${ORIGIN}/rest/api/v1/search`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "X-Gatehouse-Auth-Type": "OAUTH",
    },
    body: JSON.stringify({ query: "token", pageSize: 100 }),
    ...(signal && { signal }),
  });
}

async function titles(response: Response): Promise<string[]> {
  expect(response.status).toBe(200);
  const { results } = (await response.json()) as { results: { title: string }[] };
  return results.map(({ title }) => title).sort();
}

const PUBLISHING = { keys: [publicJwk] };

function absent(): never {
  throw new Error("the test issuers have no RSA key");
}

describe("external tokens at a running Gatehouse", () => {
  it("share one load of the issuer's keys per isolate if the first 50 arrive at once, and find what the person may see", async () => {
    const issuer = new RegisteredIssuer("in-a-burst");
    await issuer.set({ ...PUBLISHING, faults: { discovery: "slow", keys: "slow" } });
    const tokens = await Promise.all(Array.from({ length: 50 }, () => issuer.token()));
    for (const response of await Promise.all(tokens.map((token) => search(token)))) {
      expect(await titles(response)).toEqual(["Handbook for everybody", "Letter to Farid alone"]);
    }
    const { discovery, keys: keySets } = await issuer.counts();
    // Each of the Worker's isolates loads them itself, and the runtime may start a second isolate.
    expect(Math.max(discovery, keySets)).toBeLessThanOrEqual(2);
  });

  it("are accepted although the request that was loading the issuer's keys was aborted", async () => {
    const issuer = new RegisteredIssuer("left-waiting");
    await issuer.set({ ...PUBLISHING, faults: { keys: "held until it is mended" } });
    const leaving = new AbortController();
    const left = expect(search(await issuer.token(), leaving.signal)).rejects.toThrow(/abort/i);
    const others = await Promise.all([1, 2, 3].map(() => issuer.token()));
    await expect.poll(async () => (await issuer.counts()).keys).toBe(1);
    const waiting = others.map((token) => search(token));
    leaving.abort();
    await left;
    // Once a later request has its response, the Worker knows that nobody waits for the first one any more.
    expect((await search("none")).status).toBe(401);
    await issuer.set({ faults: {} });
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
    expect((await search(await issuer.token())).status).toBe(200);
  });
});
