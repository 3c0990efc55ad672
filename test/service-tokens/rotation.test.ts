import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { hashToken, randomSecret } from "#crypto/secrets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { Bindings } from "#platform/bindings.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { env } from "../support/isolate.ts";
import { MeasuredIsolate } from "../support/measured-isolate.ts";
import { gateOf, issueToken, rotate, type Rotated, rotated, secretsOf } from "../support/service-tokens.ts";
import { issueClientApiToken, makeInstance, send, travel } from "../support/world.ts";

/** How long a superseded secret stays valid. */
const GRACE_SECONDS = 600;
/** How soon an isolate that did not rotate a secret knows of it. */
const REACH_SECONDS = 10;

let instance: InstanceRecord;
let token: Awaited<ReturnType<typeof issueToken>>;

beforeAll(async () => {
  instance = await makeInstance();
});

// The clock only moves with `travel`: otherwise a passing second could decide a test about a second.
beforeEach(async () => {
  travel(0);
  token = await issueToken(instance, { lifetimeSeconds: 7200 });
});

afterEach(() => vi.useRealTimers());

/** The limiter counts by minutes of the real clock. An act that spans two of them is repeated. */
async function inOneMinute<Result>(act: () => Promise<Result>): Promise<Result> {
  vi.useRealTimers();
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const began = minute();
    const result = await act();
    if (minute() === began) return result;
  }
}

/** Makes an isolate that remembers nothing. */
function fresh(changes: Partial<Bindings> = {}): Bindings {
  return { ...env, ...changes };
}

async function auditOf(tokenId: string): Promise<{ actor: string; event: string; detail: string }[]> {
  const statement = env.DB.prepare("SELECT actor, event, detail FROM audit WHERE detail LIKE ?1 ORDER BY sequence");
  return (await statement.bind(`%${tokenId}%`).all<{ actor: string; event: string; detail: string }>()).results;
}

describe("rotation by the pipeline", () => {
  it.each(["/api/index/v1", "/rest/api/index"])(
    "responds at %s with what clients of this API family parse",
    async (base) => {
      const before = Math.floor(Date.now() / 1000);
      const headers = { Authorization: `Bearer ${token.secret}` };
      const response = await send(`${base}/rotatetoken`, { method: "POST", headers });
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Type")).toMatch(/^application\/json\b/);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      const answer = await response.json<Rotated>();
      expect(Object.keys(answer).toSorted()).toEqual(["createdAt", "rawSecret", "rotationPeriodMinutes"]);
      expect(answer.rawSecret).toMatch(/^ghi_[A-Za-z0-9_-]{49}$/);
      expect(answer.createdAt).toBeGreaterThanOrEqual(before);
      expect(answer.rotationPeriodMinutes).toBe(Math.floor(((token.expiresAt ?? 0) - answer.createdAt) / 60));
    },
  );

  it.each([
    ["no body", {}],
    ["an empty body", { body: "" }],
    ["an empty object", { body: "{}", headers: { "Content-Type": "application/json" } }],
    ["broken JSON", { body: "{", headers: { "Content-Type": "application/json" } }],
    ["another content type", { body: "a=b", headers: { "Content-Type": "application/x-www-form-urlencoded" } }],
  ])("accepts %s", async (_name, init) => {
    expect((await rotate(token.secret, env, init)).status).toBe(200);
  });

  it("keeps scope, networks and expiry, which are the administrator's decision", async () => {
    const networks = ["192.0.2.0/24"];
    const narrow = await issueToken(instance, { scopes: ["documents:wiki"], networks, lifetimeSeconds: 900 });
    const headers = { "CF-Connecting-IP": "192.0.2.1" };
    const { rawSecret } = await (await rotate(narrow.secret, env, { headers })).json<Rotated>();
    expect(await gateOf(fresh(), rawSecret)).toEqual([401, "invalid_secret"]);
    expect(await gateOf(fresh(), rawSecret, "192.0.2.1")).toEqual(["let in"]);
    const push = { document: { id: "a", datasource: "finance", viewURL: "https://a.example" } };
    const refused = await send("/api/index/v1/indexdocument", {
      method: "POST",
      headers: { ...headers, Authorization: `Bearer ${rawSecret}`, "Content-Type": "application/json" },
      body: JSON.stringify(push),
    });
    expect([refused.status, (await readRefusal(refused)).error]).toEqual([401, "invalid_token"]);
    travel(900);
    expect(await gateOf(fresh(), rawSecret, "192.0.2.1")).toEqual([401, "invalid_secret"]);
  });

  it("is for indexing tokens only, whatever the method", async () => {
    const clientApi = await issueClientApiToken(instance, "ada@acme.example", "SEARCH");
    for (const secret of [clientApi, "nonsense", `ghi_${"A".repeat(49)}`]) {
      const response = await rotate(secret);
      expect(response.status).toBe(401);
      expect(readChallenge(response)).toMatchObject({ error: "invalid_token" });
    }
    expect((await send("/api/index/v1/rotatetoken", { method: "POST" })).status).toBe(401);
    expect((await rotate(token.secret, env, { method: "PUT" })).status).toBe(405);
    expect(await secretsOf(token.id)).toHaveLength(1);
  });

  it("is limited to 300 a minute and token; then 429 with Retry-After, and other tokens are not affected", async () => {
    const { id, within, beyond, other } = await inOneMinute(async () => {
      const counted = await issueToken(instance, { lifetimeSeconds: 7200 });
      const rotations = await Promise.all(Array.from({ length: 300 }, () => rotate(counted.secret)));
      const { rawSecret } = (await rotations[0]?.json<Rotated>()) ?? { rawSecret: "" };
      const late = [await rotate(counted.secret), await rotate(rawSecret)];
      return { id: counted.id, within: rotations, beyond: late, other: await rotate(token.secret) };
    });
    expect(new Set(within.map(({ status }) => status))).toEqual(new Set([200]));
    for (const refused of beyond) {
      expect([refused.status, (await readRefusal(refused)).error]).toEqual([429, "too_many_requests"]);
      expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    expect(await secretsOf(id)).toHaveLength(2);
    expect(other.status).toBe(200);
  }, 120_000);

  it("stores only hashes, and adds one audit entry without a secret", async () => {
    const { rawSecret } = await rotated(token.secret);
    await rotated(token.secret);
    const hashes = (await secretsOf(token.id)).map(({ secret_hash }) => secret_hash);
    expect(hashes.toSorted()).toEqual([await hashToken(token.secret), await hashToken(rawSecret)].toSorted());
    const entries = await auditOf(token.id);
    expect(entries.map(({ event }) => event)).toEqual(["service_token_issued", "service_token_rotated"]);
    expect(entries[1]).toMatchObject({ actor: token.id });
    for (const { detail } of entries)
      for (const secret of [token.secret, rawSecret]) expect(detail).not.toContain(secret);
  });

  it("takes one round trip and two for the audit; a repetition takes one, and writes nothing", async () => {
    const isolate = new MeasuredIsolate();
    await gateOf(isolate.bindings, token.secret);
    const first = await isolate.costOf(() => rotated(token.secret, isolate.bindings));
    expect(first.roundTrips).toBe(3);
    const again = await isolate.costOf(() => rotated(token.secret, isolate.bindings));
    expect(again).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
  });
});

describe("rotation when a response is lost or machines rotate at once", () => {
  it("gives a retry the same response, even in another isolate", async () => {
    const first = await rotated(token.secret);
    travel(GRACE_SECONDS - 1);
    expect(await rotated(token.secret)).toEqual(first);
    expect(await rotated(token.secret, fresh())).toEqual(first);
  });

  it("gives 100 parallel rotations the same response, and one successor", async () => {
    const isolates = Array.from({ length: 4 }, () => fresh());
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => rotated(token.secret, isolates[at % isolates.length])),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await secretsOf(token.id)).toHaveLength(2);
    expect((await auditOf(token.id)).filter(({ event }) => event === "service_token_rotated")).toHaveLength(1);
    expect(await gateOf(fresh(), answers[0]?.rawSecret ?? "")).toEqual(["let in"]);
  });

  it("keeps the old secret valid for ten minutes, and not a second longer", async () => {
    const seen = fresh();
    expect(await gateOf(seen, token.secret)).toEqual(["let in"]);
    const { rawSecret } = await rotated(token.secret);
    travel(REACH_SECONDS);
    expect(await gateOf(seen, token.secret)).toEqual(["let in"]);
    travel(GRACE_SECONDS - REACH_SECONDS - 1);
    for (const isolate of [seen, fresh()]) expect(await gateOf(isolate, token.secret)).toEqual(["let in"]);
    travel(1);
    for (const isolate of [seen, fresh()]) {
      expect(await gateOf(isolate, token.secret)).toEqual([401, "invalid_secret"]);
      expect((await rotate(token.secret, isolate)).status).toBe(401);
      expect(await gateOf(isolate, rawSecret)).toEqual(["let in"]);
    }
  });

  it("does not extend the old secret's time when it is repeated", async () => {
    await rotated(token.secret);
    travel(GRACE_SECONDS / 2);
    await rotated(token.secret);
    travel(GRACE_SECONDS / 2);
    expect(await gateOf(fresh(), token.secret)).toEqual([401, "invalid_secret"]);
  });

  it("forms a chain: each successor can be rotated, and a late retry of an earlier one does no harm", async () => {
    const second = await rotated(token.secret);
    const third = await rotated(second.rawSecret);
    const fourth = await rotated(third.rawSecret);
    expect(new Set([token.secret, second.rawSecret, third.rawSecret, fourth.rawSecret]).size).toBe(4);
    expect(await rotated(token.secret)).toEqual(second);
    expect(await rotated(second.rawSecret)).toEqual(third);
    travel(GRACE_SECONDS);
    for (const { rawSecret } of [second, third]) {
      expect(await gateOf(fresh(), rawSecret)).toEqual([401, "invalid_secret"]);
    }
    expect(await gateOf(fresh(), fourth.rawSecret)).toEqual(["let in"]);
    const fifth = await rotated(fourth.rawSecret, fresh());
    expect(await gateOf(fresh(), fifth.rawSecret)).toEqual(["let in"]);
    expect(await secretsOf(token.id)).toHaveLength(2);
  });

  it("gives different tokens different successors", async () => {
    const other = await issueToken(instance);
    expect((await rotated(other.secret)).rawSecret).not.toBe((await rotated(token.secret)).rawSecret);
  });
});

describe("rotation across a change of master keys", () => {
  const newKey = `new:${randomSecret()}`;

  it("gives a retry the successor of the old key while that is configured, and uses the new key for new ones", async () => {
    const first = await rotated(token.secret);
    const changed = fresh({ MASTER_KEYS: `${newKey},${env.MASTER_KEYS}` });
    expect(await rotated(token.secret, changed)).toEqual(first);
    const second = await rotated(first.rawSecret, changed);
    expect(await rotated(first.rawSecret, fresh({ MASTER_KEYS: newKey }))).toEqual(second);
  });

  it("makes no second successor if the old key is gone, and existing secrets stay valid", async () => {
    const { rawSecret } = await rotated(token.secret);
    const changed = fresh({ MASTER_KEYS: newKey });
    expect((await rotate(token.secret, changed)).status).toBe(401);
    expect(await secretsOf(token.id)).toHaveLength(2);
    for (const secret of [token.secret, rawSecret]) expect(await gateOf(changed, secret)).toEqual(["let in"]);
  });
});

describe("rotation by an administrator", () => {
  const issuer = (of = instance) => servicesOf(env).administrationOf(of, "command").serviceTokens;

  it("gives a random secret, and leaves the old one ten minutes", async () => {
    const secret = (await issuer().rotate(token.id, false)) ?? "";
    expect(secret).toMatch(/^ghi_/);
    travel(GRACE_SECONDS - 1);
    expect(await gateOf(fresh(), token.secret)).toEqual(["let in"]);
    travel(1);
    expect(await gateOf(fresh(), token.secret)).toEqual([401, "invalid_secret"]);
    expect(await gateOf(fresh(), secret)).toEqual(["let in"]);
    const entries = await auditOf(token.id);
    expect(entries[1]).toMatchObject({ actor: "command", event: "service_token_rotated" });
    expect(entries[1]?.detail).not.toContain(secret);
  });

  it("can end the old secret immediately, in every isolate within ten seconds", async () => {
    const seen = fresh();
    expect(await gateOf(seen, token.secret)).toEqual(["let in"]);
    const secret = (await issuer().rotate(token.id, true)) ?? "";
    expect(await gateOf(fresh(), token.secret)).toEqual([401, "invalid_secret"]);
    travel(REACH_SECONDS);
    expect(await gateOf(seen, token.secret)).toEqual([401, "invalid_secret"]);
    expect(await gateOf(seen, secret)).toEqual(["let in"]);
  });

  it("can end the old secret immediately from a machine whose clock is ahead, too", async () => {
    travel(300);
    await issuer().rotate(token.id, true);
    travel(-300);
    expect(await gateOf(fresh(), token.secret)).toEqual([401, "invalid_secret"]);
  });

  it("ends the access of a thief who rotated before, or who rotates within the ten minutes", async () => {
    const stolen = await rotated(token.secret);
    const secret = (await issuer().rotate(token.id, false)) ?? "";
    for (const old of [token.secret, stolen.rawSecret]) expect(await gateOf(fresh(), old)).toEqual(["let in"]);
    expect((await rotate(stolen.rawSecret, fresh())).status).toBe(401);
    expect((await rotated(token.secret, fresh())).rawSecret).toBe(stolen.rawSecret);
    travel(GRACE_SECONDS);
    for (const old of [token.secret, stolen.rawSecret]) {
      expect(await gateOf(fresh(), old)).toEqual([401, "invalid_secret"]);
    }
    expect(await gateOf(fresh(), secret)).toEqual(["let in"]);
  });

  it("never extends the remaining time of a superseded secret", async () => {
    await rotated(token.secret);
    travel(GRACE_SECONDS / 2);
    await issuer().rotate(token.id, false);
    travel(GRACE_SECONDS / 2);
    expect(await gateOf(fresh(), token.secret)).toEqual([401, "invalid_secret"]);
  });

  it("finds no token that is revoked, has expired or belongs to another instance", async () => {
    const other = await makeInstance("other");
    const refused = async (of: InstanceRecord, id: string) =>
      expect(issuer(of).rotate(id, true)).rejects.toBeInstanceOf(AdministrationRefused);
    await refused(other, token.id);
    await refused(instance, "nothing");
    await issuer().revoke(token.id);
    await refused(instance, token.id);
    const expired = await issueToken(instance, { lifetimeSeconds: 1 });
    travel(1);
    await refused(instance, expired.id);
    expect(await secretsOf(expired.id)).toHaveLength(1);
  });
});

describe("rotation of a revoked token", () => {
  it("is refused even if the isolate does not know of the revocation yet", async () => {
    const seen = fresh();
    expect(await gateOf(seen, token.secret)).toEqual(["let in"]);
    await servicesOf(env).administrationOf(instance, "command").serviceTokens.revoke(token.id);
    const response = await rotate(token.secret, seen);
    expect(response.status).toBe(401);
    expect(readChallenge(response)).toMatchObject({ error: "invalid_token" });
    expect(await secretsOf(token.id)).toHaveLength(1);
  });
});
