import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { draft } from "../support/pipeline.ts";
import { issueClientApiToken, issueIndexingToken, makeInstance, travel } from "../support/world.ts";

let app: AppClient;
let own: string;
let serviceIssued: string;
let indexing: string;
let isolate: ObservedIsolate;

beforeAll(async () => {
  const instance = await makeInstance();
  app = await AppClient.registered();
  own = (await app.tokens()).access_token;
  serviceIssued = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
  indexing = await issueIndexingToken(instance, "documents:global_scope");
});

beforeEach(async () => {
  isolate = new ObservedIsolate();
  for (const token of [own, serviceIssued]) expect((await isolate.search(token)).status).toBe(200);
});

afterEach(() => vi.useRealTimers());

/** Expects a 503 that says when to try again. */
async function expectUnavailable(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(response.headers.get("Content-Type")).toMatch(/^application\/json\b/);
  const { error, requestId } = await readRefusal(response);
  expect(error).toBe("temporarily_unavailable");
  expect(requestId).toBe(response.headers.get("X-Request-Id"));
}

describe("the service while its database fails", () => {
  it("decides about tokens by the last policy snapshot for a minute", async () => {
    isolate.failing = true;
    for (const seconds of [4, 5, 20, 25]) {
      travel(seconds);
      expect((await isolate.search(own)).status).toBe(200);
      expect((await isolate.search(undefined)).status).toBe(401);
      expect((await isolate.search("nonsense")).status).toBe(401);
      expect((await isolate.search(`${own.slice(0, -4)}AAAA`)).status).toBe(401);
    }
  });

  it("responds with 503 to every request after that minute, with any token and without one", async () => {
    isolate.failing = true;
    travel(60);
    for (const token of [own, serviceIssued, undefined, "nonsense"])
      await expectUnavailable(await isolate.search(token));
    await expectUnavailable(await isolate.send("/.well-known/oauth-protected-resource"));
  });

  it("works again as soon as the database does", async () => {
    isolate.failing = true;
    travel(120);
    await expectUnavailable(await isolate.search(own));
    isolate.failing = false;
    expect((await isolate.search(own)).status).toBe(200);
  });

  it("responds with 503 to a token that it would have to look up, and accepts one that it knows", async () => {
    isolate.failing = true;
    travel(10);
    expect((await isolate.search(serviceIssued)).status).toBe(200);
    await expectUnavailable(await isolate.index(indexing, draft("a")));
  });

  it("responds with 503 to every request in an isolate that has no snapshot yet", async () => {
    const cold = new ObservedIsolate();
    cold.failing = true;
    for (const token of [own, serviceIssued, undefined]) await expectUnavailable(await cold.search(token));
  });

  it("still refuses a token that was revoked before", async () => {
    const { access_token } = await app.tokens();
    await app.revoke(access_token);
    travel(10);
    expect((await isolate.search(access_token)).status).toBe(401);
    isolate.failing = true;
    travel(45);
    expect((await isolate.search(access_token)).status).toBe(401);
  });

  it("responds with 503 to a search of somebody whom the isolate doesn't know, and not with an empty result", async () => {
    const { access_token } = await app.tokens("ada");
    isolate.failing = true;
    expect((await isolate.search(own, { query: "token" })).status).toBe(200);
    await expectUnavailable(await isolate.search(access_token, { query: "token" }));
  });

  it("responds to requests that need no storage", async () => {
    isolate.failing = true;
    expect((await isolate.search(own, {})).status).toBe(400);
    expect((await isolate.send("/rest/api/v1/nothing")).status).toBe(404);
  });

  it("lets web apps read Retry-After", async () => {
    isolate.failing = true;
    travel(60);
    const response = await isolate.send("/rest/api/v1/search", {
      method: "POST",
      headers: { Origin: "https://app.example", Authorization: `Bearer ${own}` },
    });
    await expectUnavailable(response);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Access-Control-Expose-Headers")).toContain("Retry-After");
  });

  it("sends no further statements to the database within a second of a failure", async () => {
    isolate.failing = true;
    travel(20);
    expect((await isolate.search(own)).status).toBe(200);
    isolate.reset();
    for (let call = 0; call < 10; call += 1) expect((await isolate.search(own)).status).toBe(200);
    expect(isolate.statements).toBe(0);
  });
});

describe("the service while its database is silent", () => {
  /**
   * Sends a request when the policy is this old.
   *
   * @param waits how long exactly the request waits for each thing that it asks the database one after another
   */
  async function sendAndWait(seconds: number, waits: number[], act: () => Promise<Response>): Promise<Response> {
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    vi.setSystemTime(now + seconds * 1000);
    let asked = Promise.withResolvers<void>();
    const silence = Promise.withResolvers<never>();
    silence.promise.catch(() => undefined);
    isolate.databaseAnswer = () => {
      asked.resolve();
      return silence.promise;
    };
    let isAnswered = false;
    const answer = act().finally(() => (isAnswered = true));
    for (const [at, milliseconds] of waits.entries()) {
      await asked.promise;
      asked = Promise.withResolvers<void>();
      await vi.advanceTimersByTimeAsync(milliseconds - 1);
      expect(isAnswered).toBe(false);
      // What is written after the response succeeds.
      if (at === waits.length - 1) isolate.databaseAnswer = undefined;
      await vi.advanceTimersByTimeAsync(1);
    }
    // Reads continue after the response.
    silence.reject(new Error("D1_ERROR: D1 DB is overloaded."));
    return answer;
  }

  it("decides by the last policy snapshot after a second and a half", async () => {
    expect((await sendAndWait(11, [1500], () => isolate.search(own))).status).toBe(200);
    // For a second, no other request asks.
    isolate.reset();
    expect((await isolate.search("nonsense")).status).toBe(401);
    expect(isolate.statements).toBe(0);
  });

  it("searches as the person was last read, who is waited for like the policy", async () => {
    const search = () => isolate.search(own, { query: "token" });
    expect((await search()).status).toBe(200);
    expect((await sendAndWait(11, [1500], search)).status).toBe(200);
  });

  it("responds with 503 after ten seconds in an isolate without a snapshot", async () => {
    isolate = new ObservedIsolate();
    await expectUnavailable(await sendAndWait(0, [10_000], () => isolate.search(own)));
  });

  it("responds with 503 after ten seconds once the snapshot is a minute old", async () => {
    await expectUnavailable(await sendAndWait(60, [10_000], () => isolate.search(own)));
  });

  it("responds with 503 after ten seconds to what it would have to write", async () => {
    const document = new URLSearchParams({ client_id: app.clientId, token: "t" });
    const response = await sendAndWait(1, [10_000], () =>
      isolate.send("/oauth/revoke", { method: "POST", body: document }),
    );
    expect([response.status, Number(response.headers.get("Retry-After")) > 0]).toEqual([503, true]);
  });
});
