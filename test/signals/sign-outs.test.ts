import type { InstanceRecord } from "#instance/instances.ts";
import { D1People } from "#people/people.d1.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, search } from "../support/app-client.ts";
import type { ConsoleBrowser } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { ObservedIsolate, WORDLESS } from "../support/observed-isolate.ts";
import { everybodyOf } from "../support/people.ts";
import { makeKeyedAccount } from "../support/service-accounts.ts";
import { issueToken } from "../support/service-tokens.ts";
import { postEvent, postLogout, postRevocation, SigningSso, tampered } from "../support/signing-sso.ts";
import { ANNOUNCED, removeIssuers, TestIssuer } from "../support/test-issuer.ts";
import { issueClientApiToken, makeInstance, ORIGIN, send, travel } from "../support/world.ts";

/** The most seconds until a signal takes effect in an isolate that did not receive it. */
const REACH_SECONDS = 10;

const BEN = "ben@acme.example";
const BY_EMAIL = { sub_id: { format: "email", email: BEN } };

let instance: InstanceRecord;
let sso: SigningSso;
let app: AppClient;

beforeAll(async () => {
  instance = await makeInstance();
  await makeInstance("other");
  sso = await SigningSso.of(instance);
  app = await AppClient.registered();
});

afterEach(() => vi.useRealTimers());

async function isSignedIn(browser: ConsoleBrowser): Promise<boolean> {
  return (await browser.get("/account")).status === 200;
}

/** Checks whether an access token opens search in this isolate, which received the signal. */
async function opens(token: string): Promise<boolean> {
  return (await search(token, WORDLESS)).status === 200;
}

async function refreshes(token: string | undefined): Promise<boolean> {
  return (await app.refresh(token)).status === 200;
}

/** Makes what an SSO signs for Global Token Revocation, as Okta does. `undefined` leaves a claim out. */
function assertion(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const usual = {
    iss: sso.issuer.url,
    sub: "client",
    aud: `${ORIGIN}/oauth/global-token-revocation`,
    jti: crypto.randomUUID(),
    iat: now,
    nbf: now - 300,
    exp: now + 300,
  };
  return sso.sign({ ...usual, ...claims }, { typ: "global-token-revocation+jwt", ...header });
}

/** Returns the newest audit entries about signals. */
async function receipts(count: number): Promise<unknown[]> {
  const { results } = await env.DB.prepare(
    "SELECT actor, detail FROM audit WHERE instance_id = ?1 AND event = 'signal_received' ORDER BY sequence DESC LIMIT ?2",
  )
    .bind(instance.id, count)
    .all<{ actor: string; detail: string }>();
  return results.map(({ actor, detail }) => ({ actor, ...(JSON.parse(detail) as object) }));
}

async function idOf(email: string): Promise<string> {
  return (await everybodyOf(instance)).find((person) => person.email === email)?.id ?? "";
}

describe("a sign-out at the SSO (OpenID Connect Back-Channel Logout 1.0)", () => {
  it("of one session ends what was opened in it, except offline access (§2.7)", async () => {
    const [here, elsewhere] = [await sso.signIn("one"), await sso.signIn("two")];
    const [online, offline, other] = [
      await sso.connect(app, "one", "SEARCH"),
      await sso.connect(app, "one"),
      await sso.connect(app, "two", "SEARCH"),
    ];
    const answer = await postLogout(await sso.logoutToken({ sub: undefined, sid: "one" }));
    expect([answer.status, answer.headers.get("Cache-Control"), await answer.text()]).toEqual([200, "no-store", ""]);
    expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([false, true]);
    const after = [online, offline, other].map(async ({ access_token }) => opens(access_token));
    expect(await Promise.all(after)).toEqual([false, true, true]);
    expect(await refreshes(offline.refresh_token)).toBe(true);
    expect(await receipts(1)).toEqual([
      { actor: `signal:${sso.issuer.url}`, event: "backchannel-logout", effect: "session" },
    ]);
  });

  it("of one session, with its person, ends no other session of theirs", async () => {
    const [here, elsewhere] = [await sso.signIn("three"), await sso.signIn("four")];
    expect((await postLogout(await sso.logoutToken({ sid: "three" }))).status).toBe(200);
    expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([false, true]);
  });

  it("of one session, with its person, ends nothing that another person opened in it", async () => {
    const [ben, carla] = [await sso.signIn("shared"), await sso.signIn("shared", "carla")];
    const [online, other] = [
      await sso.connect(app, "shared", "SEARCH"),
      await app.tokensAt({ issuer: sso.issuer.url, sid: "shared" }, { scope: "SEARCH" }, "carla"),
    ];
    expect((await postLogout(await sso.logoutToken({ sid: "shared" }))).status).toBe(200);
    expect([await isSignedIn(ben), await isSignedIn(carla)]).toEqual([false, true]);
    expect([await opens(online.access_token), await opens(other.access_token)]).toEqual([false, true]);
    expect((await postLogout(await sso.logoutToken({ sub: undefined, sid: "shared" }))).status).toBe(200);
    expect(await isSignedIn(carla)).toBe(false);
  });

  it("of a person is stored to the millisecond, and one after another at the same time is another one", async () => {
    vi.useFakeTimers({ now: Math.floor(Date.now() / 1000) * 1000 + 347, toFake: ["Date"] });
    const signedOutAt = async () =>
      env.DB.prepare("SELECT signed_out_at FROM people WHERE id = ?1")
        .bind(await idOf(BEN))
        .first<number>("signed_out_at");
    const now = Date.now();
    for (const expected of [now, now + 1]) {
      expect((await postLogout(await sso.logoutToken())).status).toBe(200);
      expect(await signedOutAt()).toBe(expected);
    }
    vi.useRealTimers();
  });

  it("of a person ends everything that they opened, and nothing of anybody else", async () => {
    const [ben, ada] = [await sso.signIn("one"), await sso.signIn(undefined, "ada")];
    const offline = await sso.connect(app, undefined);
    const issued = await issueClientApiToken(instance, BEN, "SEARCH");
    expect([await isSignedIn(ben), await opens(offline.access_token), await opens(issued)]).toEqual([true, true, true]);
    expect((await postLogout(await sso.logoutToken())).status).toBe(200);
    const after = [await isSignedIn(ben), await opens(offline.access_token), await opens(issued)];
    expect([...after, await refreshes(offline.refresh_token)]).toEqual([false, false, false, false]);
    expect(await isSignedIn(ada)).toBe(true);
    expect(await receipts(1)).toEqual([
      expect.objectContaining({ event: "backchannel-logout", effect: "person", personId: await idOf(BEN) }),
    ]);
    // It did not deactivate the person.
    expect(await isSignedIn(await sso.signIn("five"))).toBe(true);
  });

  it("of a person doesn't shorten the remaining minutes of an admin token's replaced secret", async () => {
    const { id, secret } = await issueToken(instance, { kind: "admin", scopes: ["admin:read"] });
    await servicesOf(env).administrationOf(instance, "test").serviceTokens.rotate(id, false);
    expect((await postLogout(await sso.logoutToken())).status).toBe(200);
    const answer = await send("/rest/api/admin/v1/apps", { headers: { Authorization: `Bearer ${secret}` } });
    expect(answer.status).toBe(200);
  });

  it("ends an authorization that waits for consent", async () => {
    const waiting = "SELECT count(*) AS n FROM authorization_requests WHERE person_id = ?1";
    const begun = async () =>
      env.DB.prepare(waiting)
        .bind(await idOf(BEN))
        .first("n");
    await app.atConsent({ issuer: sso.issuer.url, sid: "six" });
    expect(await begun()).toBe(1);
    expect((await postLogout(await sso.logoutToken({ sub: undefined, sid: "six" }))).status).toBe(200);
    expect(await begun()).toBe(0);
  });

  it("gets the same response for an unknown session or person, and is recorded", async () => {
    expect((await postLogout(await sso.logoutToken({ sub: "nobody" }))).status).toBe(200);
    expect((await postLogout(await sso.logoutToken({ sub: undefined, sid: "unknown" }))).status).toBe(200);
    expect(await receipts(2)).toEqual([
      expect.objectContaining({ effect: "session" }),
      expect.objectContaining({ effect: "none", subject: `nobody at ${sso.issuer.url}` }),
    ]);
  });
});

describe("a message that is not a logout token of this SSO", () => {
  let ben: ConsoleBrowser;

  beforeAll(async () => {
    ben = await sso.signIn("steady");
  });

  const now = () => Math.floor(Date.now() / 1000);
  const none = (jwt: string) => `${btoa('{"alg":"none","typ":"logout+jwt"}').replace(/=+$/, "")}.${jwt.split(".")[1]}.`;

  it.each<[string, () => Promise<string>]>([
    ["text", async () => "logout"],
    [
      "an ID token, which has a nonce and no event",
      () => sso.logoutToken({ events: undefined, nonce: "n" }, { typ: "JWT" }),
    ],
    ["one that is bound to a key", () => sso.logoutToken({ cnf: { jkt: "A".repeat(43) } })],
    ["a logout token with a nonce", () => sso.logoutToken({ nonce: "n" })],
    ["one without the event", () => sso.logoutToken({ events: { "https://schemas.example/other": {} } })],
    [
      "one whose event is no object",
      () => sso.logoutToken({ events: { "http://schemas.openid.net/event/backchannel-logout": true } }),
    ],
    ["an access token", () => sso.logoutToken({}, { typ: "at+jwt" })],
    ["a security event token", () => sso.logoutToken({}, { typ: "secevent+jwt" })],
    ["one for another client of the SSO", () => sso.logoutToken({ aud: "another-client" })],
    ["one without an audience", () => sso.logoutToken({ aud: undefined })],
    ["one of another issuer", async () => (await SigningSso.unconnected()).logoutToken()],
    [
      "one that another issuer signed in the SSO's name",
      async () => (await SigningSso.unconnected()).logoutToken({ iss: sso.issuer.url }, { kid: "key-ec" }),
    ],
    ["one that was changed", async () => tampered(await sso.logoutToken({ sub: "ada" }), { sub: "ben" })],
    ["one that is not signed", async () => none(await sso.logoutToken())],
    ["one that says HS256", () => sso.logoutToken({}, { alg: "HS256" })],
    ["one without a key id", () => sso.logoutToken({}, { kid: undefined })],
    ["one that expired", () => sso.logoutToken({ iat: now() - 200, exp: now() - 60 })],
    ["one that never expires", () => sso.logoutToken({ exp: undefined })],
    ["one of two hours ago", () => sso.logoutToken({ iat: now() - 7200 })],
    ["one of tomorrow", () => sso.logoutToken({ iat: now() + 86_400, exp: now() + 90_000 })],
    ["one without iat", () => sso.logoutToken({ iat: undefined })],
    ["one without an id", () => sso.logoutToken({ jti: undefined })],
    ["one about nobody", () => sso.logoutToken({ sub: undefined })],
    ["one whose session is a number", () => sso.logoutToken({ sid: 7 })],
  ])("is refused: %s", async (_name, make) => {
    const answer = await postLogout(await make());
    expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([400, "no-store"]);
    expect(await answer.json()).toMatchObject({ error: "invalid_request", error_description: expect.any(String) });
    expect(await isSignedIn(ben)).toBe(true);
  });

  it("is refused at another instance", async () => {
    expect((await postLogout(await sso.logoutToken(), "http://other.localhost")).status).toBe(400);
  });

  it("is refused the second time, and changes nothing then", async () => {
    const token = await sso.logoutToken({ sub: "carla" });
    const carla = await sso.signIn("c", "carla");
    expect((await postLogout(token)).status).toBe(200);
    const again = await sso.signIn("c", "carla");
    expect((await postLogout(token)).status).toBe(400);
    expect([await isSignedIn(carla), await isSignedIn(again)]).toEqual([false, true]);
  });

  it("is accepted again if storage failed at the first attempt", async () => {
    const token = await sso.logoutToken({ sub: "carla" });
    // Reads the policy beforehand, so that only the sign-out itself fails.
    expect((await postLogout("none")).status).toBe(400);
    const batch = env.DB.batch.bind(env.DB);
    const failing = vi
      .spyOn(env.DB, "batch")
      .mockImplementation((all) => (all.length > 1 ? Promise.reject(new Error("down")) : batch(all)));
    expect((await postLogout(token)).status).toBe(503);
    failing.mockRestore();
    expect((await postLogout(token)).status).toBe(200);
  });

  it("is shown on the page of connections, with the request's id", async () => {
    const answer = await postLogout(await sso.logoutToken({ aud: "another-client" }));
    const { request_id: id } = await answer.json<{ request_id: string }>();
    const attempts = await servicesOf(env).connectionAttempts.recent(instance.id);
    const steps = attempts.flatMap((attempt) => attempt.steps).filter(({ requestId }) => requestId === id);
    expect(steps).toMatchObject([{ step: "signal", reason: "signal_audience_wrong" }]);
  });
});

describe("Global Token Revocation", () => {
  it.each([
    ["an email address", () => ({ sub_id: { format: "email", email: "Ben@acme.example" } })],
    ["the member of the draft's first versions", () => ({ subject: { format: "email", email: BEN } })],
    ["issuer and subject", () => ({ sub_id: { format: "iss_sub", iss: sso.issuer.url, sub: "ben" } })],
    ["an id of the SSO", () => ({ sub_id: { format: "opaque", id: "ben" } })],
  ])("ends all access of the person who is named by %s", async (_name, body) => {
    const ben = await sso.signIn("one");
    const offline = await sso.connect(app, "one");
    const answer = await postRevocation(await assertion(), body());
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    const after = [await isSignedIn(ben), await opens(offline.access_token), await refreshes(offline.refresh_token)];
    expect(after).toEqual([false, false, false]);
    expect(await receipts(1)).toEqual([
      {
        actor: `signal:${sso.issuer.url}`,
        event: "global-token-revocation",
        effect: "person",
        personId: await idOf(BEN),
      },
    ]);
  });

  it("ends all access of the person who is named by an id of this instance", async () => {
    const ben = await sso.signIn("one");
    const subId = { format: "iss_sub", iss: ORIGIN, sub: await idOf(BEN) };
    expect((await postRevocation(await assertion(), { sub_id: subId })).status).toBe(204);
    expect(await isSignedIn(ben)).toBe(false);
  });

  it("can't name a service account by its id", async () => {
    const { account } = await makeKeyedAccount(instance);
    const subId = { format: "iss_sub", iss: ORIGIN, sub: account.id };
    expect((await postRevocation(await assertion(), { sub_id: subId })).status).toBe(404);
  });

  it.each<[string, number, () => Promise<string | undefined>, unknown]>([
    ["no credential", 401, async () => undefined, BY_EMAIL],
    ["an ID token", 401, () => assertion({ aud: "gatehouse" }, { typ: "JWT" }), BY_EMAIL],
    ["a JWT without the type", 401, () => assertion({}, { typ: undefined }), BY_EMAIL],
    ["a JWT that is bound to a key", 401, () => assertion({ cnf: { jkt: "A".repeat(43) } }), BY_EMAIL],
    ["a JWT for another address", 401, () => assertion({ aud: "https://other.example/revoke" }), BY_EMAIL],
    ["an expired JWT", 401, () => assertion({ exp: Math.floor(Date.now() / 1000) - 60 }), BY_EMAIL],
    ["a JWT of somebody else", 401, () => assertion({ iss: "https://evil.example" }), BY_EMAIL],
    [
      "a format that names nobody here",
      400,
      () => assertion(),
      { sub_id: { format: "phone_number", phone_number: "+1" } },
    ],
    ["no subject", 400, () => assertion(), {}],
    ["a subject that is a text", 400, () => assertion(), { sub_id: BEN }],
    ["somebody who isn't known", 404, () => assertion(), { sub_id: { format: "email", email: "no@acme.example" } }],
    [
      "an account of another provider",
      404,
      () => assertion(),
      { sub_id: { format: "iss_sub", iss: "https://x.example", sub: "ben" } },
    ],
  ])("is refused with %s (%i)", async (_name, status, make, body) => {
    const ben = await sso.signIn("steady");
    const answer = await postRevocation(await make(), body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("WWW-Authenticate")?.startsWith("Bearer ") ?? false).toBe(status === 401);
    expect(await isSignedIn(ben)).toBe(true);
  });

  it("is refused the second time", async () => {
    const used = await assertion();
    expect((await postRevocation(used, BY_EMAIL)).status).toBe(204);
    expect((await postRevocation(used, BY_EMAIL)).status).toBe(401);
  });
});

describe("a sign-out in another isolate", () => {
  let isolate: ObservedIsolate;

  beforeEach(() => {
    isolate = new ObservedIsolate();
  });

  const event = (claims: Record<string, unknown>) =>
    sso.logoutToken(
      {
        aud: "events",
        events: { "https://schemas.openid.net/secevent/caep/event-type/session-revoked": {} },
        ...claims,
      },
      { typ: "secevent+jwt" },
    );

  it.each<[string, number, number, () => Promise<Response>]>([
    ["global token revocation", 5, 204, async () => postRevocation(await assertion(), BY_EMAIL)],
    ["back-channel logout", 25, 200, async () => postLogout(await sso.logoutToken())],
    ["a security event", 45, 202, async () => postEvent(await event(BY_EMAIL))],
  ])("ends all kinds of tokens within ten seconds, by %s", async (_name, later, accepted, signOut) => {
    const provider = await TestIssuer.publishing("rsa");
    await provider.register(instance);
    const transmitter = { issuer: sso.issuer.url, name: "SSO", audience: "events" };
    await servicesOf(env).administrationOf(instance, "test").signals.put(transmitter, undefined);
    const { access_token: own } = await sso.connect(app, "one");
    const issued = await issueClientApiToken(instance, BEN, "SEARCH");
    // Previous tests signed Ben out until this second.
    travel(later);
    const iat = Math.floor(Date.now() / 1000);
    const external = await provider.token({ iat });
    const unseen = await provider.token({ iat, jti: "unseen" });
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } };
    const statuses = async () => [
      (await isolate.search(own)).status,
      (await isolate.search(issued)).status,
      (await isolate.search(external, WORDLESS, ANNOUNCED)).status,
      (
        await isolate.send(`${ORIGIN}/mcp`, {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "application/json", Authorization: `Bearer ${own}` },
          body: JSON.stringify(call),
        })
      ).status,
    ];
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    // The SSO may only name its own accounts.
    const linked = { sub_id: { format: "iss_sub", iss: provider.url, sub: "00u-ben" } };
    expect((await postRevocation(await assertion(), linked)).status).toBe(404);
    expect((await signOut()).status).toBe(accepted);
    travel(REACH_SECONDS);
    expect(await statuses()).toEqual([401, 401, 401, 401]);
    const first = await isolate.search(unseen, WORDLESS, ANNOUNCED);
    expect([first.status, await first.text()]).toEqual([401, expect.stringContaining("signed out after")]);
    // A token that the provider issues from now on belongs to another sign-in there.
    const fresh = await provider.token({ iat: Math.floor(Date.now() / 1000) });
    expect((await isolate.search(fresh, WORDLESS, ANNOUNCED)).status).toBe(200);
    await removeIssuers(instance);
  });
});

describe("a sign-out at the same moment as a sign-in", () => {
  /** Signs out between the moment when the SSO's response is accepted and what it opens. */
  function signedOutBy(claims: () => Record<string, unknown>): void {
    const signIn = Reflect.get<D1People, "signIn">(D1People.prototype, "signIn");
    vi.spyOn(D1People.prototype, "signIn").mockImplementationOnce(async function late(this: D1People, ...given) {
      const outcome = await signIn.apply(this, given);
      expect((await postLogout(await sso.logoutToken(claims()))).status).toBe(200);
      return outcome;
    });
  }
  const everywhere = () => ({});
  const here = () => ({ sid: "racing", sub: undefined });

  it.each([
    ["of the person", everywhere],
    ["of the session at the SSO", here],
  ])("%s leaves no session of the instance's pages, and no request waiting for consent", async (_, claims) => {
    signedOutBy(claims);
    await expect(sso.signIn("racing")).rejects.toThrow();
    signedOutBy(claims);
    await expect(sso.connect(app, "racing")).rejects.toThrow();
    expect(await isSignedIn(await sso.signIn("racing"))).toBe(true);
    expect((await sso.connect(app, "racing")).access_token).not.toBe("");
  });

  it("of another person or session changes nothing", async () => {
    signedOutBy(() => ({ sid: "another", sub: undefined }));
    expect(await isSignedIn(await sso.signIn("racing"))).toBe(true);
  });
});
