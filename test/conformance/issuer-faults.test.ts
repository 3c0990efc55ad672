import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import table from "../../docs/assurance/conformance.md?raw";
import { readRefusal } from "../support/challenge.ts";
import { putTogether } from "../support/forged-tokens.ts";
import { ObservedIsolate, WORDLESS } from "../support/observed-isolate.ts";
import type { DocumentKind, Fault } from "../support/provided.d.ts";
import { ANNOUNCED, keyOf, removeIssuers, TestIssuer } from "../support/test-issuer.ts";
import { makeInstance, travel } from "../support/world.ts";

const COOLDOWN_SECONDS = 30;
const FRESH_SECONDS = 600;
const STALE_SECONDS = 3600;
const DAY_SECONDS = 24 * 3600;

const UNAVAILABLE = [503, "temporarily_unavailable"];
const REFUSED = [401, "invalid_token"];

/** A KV namespace in which every read and write fails. */
const FAILING_KV = {
  get: () => Promise.reject(new Error("KV GET failed: 500")),
  put: () => Promise.reject(new Error("KV PUT failed: 500")),
} as unknown as KVNamespace;

let acme: InstanceRecord;
let issuer: TestIssuer;
let isolate: ObservedIsolate;
/** A token that is valid for longer than any of these faults lasts. */
let token: string;

beforeAll(async () => {
  acme = await makeInstance();
});

beforeEach(async () => {
  issuer = await TestIssuer.publishing("rsa");
  await issuer.register(acme, { tokenLifetimeSecondsMax: 30 * DAY_SECONDS });
  isolate = new ObservedIsolate();
  token = await issuer.token({ exp: Math.floor(Date.now() / 1000) + 30 * DAY_SECONDS });
});

afterEach(async () => {
  vi.useRealTimers();
  await removeIssuers(acme);
});

async function outcome(credential = token, where = isolate): Promise<unknown[]> {
  const response = await where.search(credential, WORDLESS, ANNOUNCED);
  return response.status === 200 ? [200] : [response.status, (await readRefusal(response)).error];
}

/** Returns how many documents of the issuer an act fetches, of all kinds together. */
async function fetchesOf(act: () => Promise<unknown>): Promise<number> {
  const before = await total();
  await act();
  return (await total()) - before;
}

async function total(): Promise<number> {
  const { discovery, metadata, keys } = await issuer.counts();
  return discovery + metadata + keys;
}

function fault(document: DocumentKind, kind: Fault): Promise<void> {
  return issuer.set({ faults: { [document]: kind } });
}

/**
 * Shortens the timeout of fetches to a twentieth. It runs on the only clock that tests don't move.
 *
 * @returns a function that restores it: on a busy machine, a provider that works may need the whole time
 */
function losePatience(): () => void {
  const genuine = AbortSignal.timeout.bind(AbortSignal);
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => genuine(milliseconds / 20));
  return () => timeout.mockRestore();
}

const anotherToken = (jti: number | string, changes = {}) =>
  issuer.token({ jti, exp: Math.floor(Date.now() / 1000) + DAY_SECONDS, ...changes });

/** Returns a token that names a key that nobody has. Its claims don't matter, because its signature isn't valid anyway. */
function inventedKey(kid: string): string {
  return putTogether({ alg: "RS256", typ: "at+jwt", kid }, issuer.claims(), new Uint8Array(256));
}

describe("an issuer that fails when its first token arrives", () => {
  const faults: Fault[] = [
    "down",
    "error",
    "absent",
    "silent",
    "trickling",
    "huge",
    "redirecting to itself",
    "redirecting inside",
    "redirecting to the document",
    "HTML",
    "truncated",
  ];
  const cases = faults
    .flatMap((kind) => (["discovery", "keys"] as const).map((document) => ({ kind, document })))
    // One function fetches both. And an issuer without an OpenID Connect document may have one of RFC 8414.
    .filter(
      ({ kind, document }) => document === "keys" || ["down", "silent", "huge", "redirecting inside"].includes(kind),
    );

  it.each(cases)(
    "causes a 503 with Retry-After while its $document fails ($kind), and works again after that",
    async ({ kind, document }) => {
      const waitAgain = losePatience();
      await fault(document, kind);
      const response = await isolate.search(token, WORDLESS, ANNOUNCED);
      expect([response.status, (await readRefusal(response)).error]).toEqual(UNAVAILABLE);
      expect(Number(response.headers.get("Retry-After"))).toBe(COOLDOWN_SECONDS);
      waitAgain();
      await issuer.set({ faults: {} });
      travel(COOLDOWN_SECONDS);
      expect(await outcome()).toEqual([200]);
    },
  );

  it("is waited for if it is slow", async () => {
    await fault("keys", "slow");
    expect(await outcome()).toEqual([200]);
  });

  it("is found by its RFC 8414 metadata if it has no OpenID Connect document", async () => {
    await fault("discovery", "absent");
    expect(await outcome()).toEqual([200]);
    expect(await issuer.counts()).toEqual({ discovery: 1, metadata: 1, keys: 1 });
  });

  it.each([
    ["names another issuer", () => ({ issuer: "https://idp.example" })],
    ["names the issuer with a slash after it", () => ({ issuer: `${issuer.url}/` })],
    ["names no issuer", () => ({ issuer: null })],
    ["names no keys", () => ({ jwks_uri: null })],
    ["names keys by plain http", () => ({ jwks_uri: "http://keys.example/keys" })],
    ["names keys at an address of the inside", () => ({ jwks_uri: "https://169.254.169.254/keys" })],
    ["names keys at an address of the inside, in another spelling", () => ({ jwks_uri: "https://0xa9fea9fe/keys" })],
    ["names keys at an inside name", () => ({ jwks_uri: "https://vault.internal/keys" })],
    ["names keys in a file", () => ({ jwks_uri: "file:///etc/keys" })],
    [
      "brings the keys along",
      () => ({ jwks_uri: `data:application/json,${JSON.stringify({ keys: [keyOf("rsa").publicJwk] })}` }),
    ],
  ])("is not trusted if its discovery document %s", async (_what, discovery) => {
    await issuer.set({ discovery: discovery() });
    const fetched = vi.spyOn(globalThis, "fetch");
    expect(await outcome()).toEqual(UNAVAILABLE);
    const elsewhere = fetched.mock.calls
      .map(([url]) => (url instanceof Request ? url.url : url.toString()))
      .filter((url) => !url.startsWith(issuer.url));
    expect(elsewhere.filter((url) => !url.includes("/.well-known/"))).toEqual([]);
    expect((await issuer.counts()).keys).toBe(0);
  });

  it("may publish its keys on another host", async () => {
    const { publicJwk } = keyOf("rsa");
    const elsewhere = await TestIssuer.publishing(publicJwk);
    await issuer.set({ discovery: { jwks_uri: `${elsewhere.url.replace("127.0.0.1", "localhost")}/keys` } });
    expect(await outcome()).toEqual([200]);
    expect((await elsewhere.counts()).keys).toBe(1);
  });

  const jwk = () => keyOf("rsa").publicJwk;
  it.each([
    ["empty", () => []],
    ["of secrets alone", () => [{ kty: "oct", k: "c2VjcmV0", kid: "key-rsa" }]],
    ["of private keys", () => [{ ...keyOf("rsa").privateJwk }]],
    ["of keys for encryption", () => [{ ...jwk(), use: "enc" }]],
    ["of keys for other operations", () => [{ ...jwk(), use: undefined, key_ops: ["encrypt"] }]],
    ["of keys without an id", () => [{ ...jwk(), kid: undefined }]],
    ["of keys whose id is a number", () => [{ ...jwk(), kid: 1 }]],
    ["of no keys", () => [null, true, 1, [jwk()]]],
    [
      "of more keys than anybody meant",
      () => Array.from({ length: 101 }, (_, at) => ({ ...jwk(), kid: at ? `k${at}` : "key-rsa" })),
    ],
  ])("is not trusted if its key set is %s", async (_what, keys) => {
    await issuer.publish(...(keys() as Record<string, unknown>[]));
    expect(await outcome()).toEqual(UNAVAILABLE);
  });

  it.each([
    ["keys that are none", () => [null, { kty: "oct", k: "c2VjcmV0", kid: "key-rsa" }, jwk()]],
    ["a key of another kind under the same id", () => [{ ...keyOf("ec").publicJwk, kid: "key-rsa" }, jwk()]],
    [
      "a key for encryption under the same id",
      () => [{ ...keyOf("rsaNext").publicJwk, kid: "key-rsa", use: "enc" }, jwk()],
    ],
    [
      "a key for another algorithm under the same id",
      () => [{ ...keyOf("rsaNext").publicJwk, kid: "key-rsa", alg: "PS256" }, jwk()],
    ],
  ])("is trusted if its key set has %s in addition to a good one", async (_what, keys) => {
    await issuer.publish(...(keys() as Record<string, unknown>[]));
    expect(await outcome()).toEqual([200]);
  });
});

describe("an issuer that fails after its keys were fetched", () => {
  beforeEach(async () => {
    expect(await outcome()).toEqual([200]);
  });

  it.each(["down", "truncated"] as const)(
    "has its stored keys used for a week while its key set fails (%s), for known and new tokens",
    async (kind) => {
      await fault("keys", kind);
      for (const seconds of [FRESH_SECONDS, STALE_SECONDS, DAY_SECONDS, 5 * DAY_SECONDS]) {
        travel(seconds);
        expect(await outcome()).toEqual([200]);
        expect(await outcome(await anotherToken(seconds))).toEqual([200]);
      }
      travel(DAY_SECONDS);
      expect(await outcome()).toEqual(UNAVAILABLE);
    },
  );

  it("keeps its stored keys if it publishes an empty key set", async () => {
    await issuer.publish();
    travel(STALE_SECONDS);
    expect(await outcome()).toEqual([200]);
  });

  it("keeps working in a fresh isolate, with the keys in the cache", async () => {
    await issuer.set({ faults: { discovery: "down", keys: "down" } });
    expect(await outcome(token, new ObservedIsolate())).toEqual([200]);
    travel(DAY_SECONDS);
    expect(await outcome(token, new ObservedIsolate())).toEqual([200]);
  });

  it("has its keys found at their new URL after they moved", async () => {
    const elsewhere = await TestIssuer.publishing("rsaNext");
    await issuer.set({ discovery: { jwks_uri: `${elsewhere.url}/keys` }, faults: { keys: "absent" } });
    travel(FRESH_SECONDS);
    expect(await outcome()).toEqual([200]);
    travel(COOLDOWN_SECONDS);
    expect(await outcome(await anotherToken("moved", {}))).toEqual([200]);
    travel(COOLDOWN_SECONDS);
    expect(await outcome(await issuer.token({}, "rsaNext"))).toEqual([200]);
  });
});

describe("an issuer that changes its keys", () => {
  beforeEach(async () => {
    expect(await outcome()).toEqual([200]);
  });

  it("has a new key refused during the cooldown after a fetch, and accepted afterwards", async () => {
    await issuer.publish("rsa", "rsaNext");
    expect(await outcome(await issuer.token({}, "rsaNext"))).toEqual(REFUSED);
    travel(COOLDOWN_SECONDS);
    expect(await outcome(await issuer.token({}, "rsaNext"))).toEqual([200]);
    expect(await outcome()).toEqual([200]);
  });

  it("has a withdrawn key refused once the key set is fetched again, for known tokens too", async () => {
    await issuer.publish("rsaNext");
    travel(FRESH_SECONDS);
    expect(await outcome()).toEqual([200]);
    expect(await outcome()).toEqual(REFUSED);
    expect(await outcome(await anotherToken("late"))).toEqual(REFUSED);
  });

  it("has a withdrawn key refused by the first request after an hour without requests", async () => {
    await issuer.publish("rsaNext");
    travel(STALE_SECONDS);
    expect(await outcome()).toEqual(REFUSED);
  });

  it("has a withdrawn key refused after an hour without requests, even if the last fetch before that failed", async () => {
    await fault("keys", "down");
    travel(FRESH_SECONDS);
    expect(await outcome()).toEqual([200]);
    await issuer.set({ faults: {} });
    await issuer.publish("rsaNext");
    travel(STALE_SECONDS);
    expect(await outcome()).toEqual(REFUSED);
  });

  it("has a withdrawn key refused by the first request of a fresh isolate if the cached key set is stale", async () => {
    await issuer.publish("rsaNext");
    travel(STALE_SECONDS);
    expect(await outcome(token, new ObservedIsolate())).toEqual(REFUSED);
  });

  it("has a key refused once another one replaces it under the same id, for known tokens too", async () => {
    await issuer.publish({ ...keyOf("rsaNext").publicJwk, kid: "key-rsa" });
    travel(FRESH_SECONDS);
    expect(await outcome()).toEqual([200]);
    expect(await outcome()).toEqual(REFUSED);
  });

  it("has known tokens stay cached when its key set is fetched again without changes", async () => {
    travel(FRESH_SECONDS);
    expect(await outcome()).toEqual([200]);
    expect((await issuer.counts()).keys).toBe(2);
    isolate.reset();
    expect(await outcome()).toEqual([200]);
    expect(isolate.statements).toBe(0);
  });
});

describe("fetches from issuers (docs/assurance/conformance.md)", () => {
  const measured: Record<string, number> = {};

  async function measure(what: string, act: () => Promise<unknown>): Promise<void> {
    measured[what] = await fetchesOf(act);
  }

  it("are counted for first tokens", async () => {
    await measure("first token of an issuer", () => outcome());
    await measure("the same token again, five times", async () => {
      for (let call = 0; call < 5; call += 1) expect(await outcome()).toEqual([200]);
    });
    await measure("another token", async () => expect(await outcome(await anotherToken("b"))).toEqual([200]));
    await measure("first token in a fresh isolate, cache warm", async () => {
      expect(await outcome(token, new ObservedIsolate())).toEqual([200]);
    });
    await measure("first token in a fresh isolate, cache failing", async () => {
      expect(await outcome(token, new ObservedIsolate({ CACHE: FAILING_KV }))).toEqual([200]);
    });
  });

  it("are counted for 50 first tokens at once", async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, jti) => anotherToken(jti)));
    const burst = async (where: ObservedIsolate) => {
      const outcomes = await Promise.all(tokens.map((each) => outcome(each, where)));
      expect(outcomes).toEqual(tokens.map(() => [200]));
    };
    await fault("keys", "slow");
    await measure("50 first tokens at once, cold", () => burst(isolate));
    await measure("50 first tokens at once, cold, cache failing", () =>
      burst(new ObservedIsolate({ CACHE: FAILING_KV })),
    );
    await fault("keys", "down");
    const refused = new ObservedIsolate({ CACHE: FAILING_KV });
    await measure("50 first tokens at once, issuer down, cache failing", async () => {
      const outcomes = await Promise.all(tokens.map((each) => outcome(each, refused)));
      expect(outcomes).toEqual(tokens.map(() => UNAVAILABLE));
    });
    await measure("50 more within the cooldown", async () => {
      const outcomes = await Promise.all(tokens.map((each) => outcome(each, refused)));
      expect(outcomes).toEqual(tokens.map(() => UNAVAILABLE));
    });
  });

  it("are counted for tokens with invented key ids", async () => {
    expect(await outcome()).toEqual([200]);
    travel(COOLDOWN_SECONDS);
    await measure("500 tokens with unknown key ids within one cooldown", async () => {
      for (let turn = 0; turn < 10; turn += 1) {
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, at) => outcome(inventedKey(`k${turn}-${at}`))),
        );
        for (const each of outcomes) expect(each).toEqual(REFUSED);
      }
    });
    await measure("a good token among them", async () => expect(await outcome(await anotherToken("x"))).toEqual([200]));
    travel(COOLDOWN_SECONDS);
    await measure("unknown key ids in the next cooldown", async () => {
      for (let at = 0; at < 20; at += 1) expect(await outcome(inventedKey(`n${at}`))).toEqual(REFUSED);
    });
  });

  it("are counted over time", async () => {
    expect(await outcome()).toEqual([200]);
    travel(FRESH_SECONDS - 10);
    await measure("any number of tokens within ten minutes", async () => expect(await outcome()).toEqual([200]));
    travel(10);
    await measure("five tokens after ten minutes", async () => {
      for (let call = 0; call < 5; call += 1) expect(await outcome()).toEqual([200]);
    });
    travel(STALE_SECONDS);
    await measure("a token after a quiet hour", async () => expect(await outcome()).toEqual([200]));
    await fault("keys", "down");
    travel(STALE_SECONDS);
    await measure("ten minutes of a token every ten seconds, issuer down", async () => {
      for (let turn = 0; turn < 60; turn += 1) {
        travel(10);
        expect(await outcome()).toEqual([200]);
      }
    });
  });

  it("are exactly as many as the document states", () => {
    expect(measured).toEqual(statedFetches());
  });
});

/** Returns the counts that the document states. */
function statedFetches(): Record<string, number> {
  const rows = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  return Object.fromEntries(
    rows.filter(([, , count]) => /^\d+$/.test(count ?? "")).map(([, what = "", count]) => [what, Number(count)]),
  );
}
