import { hashToken } from "#crypto/secrets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { TransmitterDraft } from "#signals/transmitter.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { authorityOfRole } from "#administration/authority.ts";
import { AppClient, search } from "../support/app-client.ts";
import { ConsoleBrowser, setRole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { expectTokens } from "../support/oauth-answers.ts";
import { everybodyOf } from "../support/people.ts";
import { postEvent, postRevocation, SigningSso, tampered } from "../support/signing-sso.ts";
import { issueToken } from "../support/service-tokens.ts";
import { TestIssuer } from "../support/test-issuer.ts";
import { makeInstance, ORIGIN, travel } from "../support/world.ts";

const AUDIENCE = `${ORIGIN}/signals/events`;
const CAEP = "https://schemas.openid.net/secevent/caep/event-type/";
const RISC = "https://schemas.openid.net/secevent/risc/event-type/";
const VERIFICATION = "https://schemas.openid.net/secevent/ssf/event-type/verification";
const BEN = "ben@acme.example";
const BY_EMAIL = { format: "email", email: BEN };

/** The most seconds until a signal takes effect in an isolate that did not receive it. */
const REACH_SECONDS = 10;

type Json = Readonly<Record<string, unknown>>;

let instance: InstanceRecord;
let sso: SigningSso;
let app: AppClient;
let transmitter: TestIssuer;

beforeAll(async () => {
  instance = await makeInstance();
  await makeInstance("other");
  sso = await SigningSso.of(instance);
  app = await AppClient.registered();
});

beforeEach(async () => {
  transmitter = await TestIssuer.publishing("rsa", "ec");
  await enter({});
});

afterEach(async () => {
  vi.useRealTimers();
  const { transmitters, administrationOf } = servicesOf(env);
  for (const stored of await transmitters.list(instance.id))
    await administrationOf(instance, "test").signals.remove(stored);
});

function enter(changes: TransmitterDraft, header?: string | null, issuer = transmitter.url): Promise<unknown> {
  const draft = { issuer, name: "EDR", audience: AUDIENCE, ...changes };
  return servicesOf(env).administrationOf(instance, "test").signals.put(draft, header);
}

/** Makes a security event token with one event. `undefined` leaves a claim out. */
async function set(type: string, event: Json = {}, claims: Json = {}, header: Json = {}): Promise<string> {
  const forge = await transmitter.forge();
  const usual = {
    iss: transmitter.url,
    aud: AUDIENCE,
    iat: Math.floor(Date.now() / 1000),
    jti: crypto.randomUUID(),
    sub_id: BY_EMAIL,
    events: { [type]: event },
  };
  return forge.sign({ ...forge.header, typ: "secevent+jwt", ...header }, { ...usual, ...claims });
}

/** Opens the console as Ada, the owner of the instance. */
async function openAsOwner(): Promise<ConsoleBrowser> {
  await setRole(instance);
  return ConsoleBrowser.signedIn(instance);
}

async function isSignedIn(browser: ConsoleBrowser): Promise<boolean> {
  return (await browser.get("/account")).status === 200;
}

/** Returns the newest audit entry about a signal, without its time. */
async function receipt(): Promise<unknown> {
  const row = await env.DB.prepare(
    "SELECT actor, detail FROM audit WHERE instance_id = ?1 AND event = 'signal_received' ORDER BY sequence DESC LIMIT 1",
  )
    .bind(instance.id)
    .first<{ actor: string; detail: string }>();
  return row && { actor: row.actor, ...(JSON.parse(row.detail) as object) };
}

/** Returns the details of all audit entries about signals, oldest first. */
async function receipts(): Promise<unknown[]> {
  const { results } = await env.DB.prepare(
    "SELECT detail FROM audit WHERE instance_id = ?1 AND event = 'signal_received' ORDER BY sequence",
  )
    .bind(instance.id)
    .all<{ detail: string }>();
  return results.map(({ detail }) => JSON.parse(detail) as unknown);
}

async function idOf(email: string): Promise<string> {
  return (await everybodyOf(instance)).find((person) => person.email === email)?.id ?? "";
}

/** Returns a token that Ben issues to himself in a session of this sign-in. */
async function personalToken(signedInAt: number): Promise<string> {
  const draft = { kind: "client-api" as const, name: "mine", scopes: ["SEARCH"], person: BEN, lifetimeSeconds: 86_400 };
  const authority = authorityOfRole("owner", signedInAt || Math.floor(Date.now() / 1000));
  const { serviceTokens } = servicesOf(env).administrationWithin({ instance, actor: await idOf(BEN), authority });
  return (await serviceTokens.issue(draft, true)).secret;
}

async function idOfToken(secret: string): Promise<string> {
  const query = env.DB.prepare("SELECT token_id FROM service_token_secrets WHERE secret_hash = ?1");
  return String(await query.bind(await hashToken(secret)).first("token_id"));
}

describe("a security event (RFC 8417, Shared Signals Framework 1.0, CAEP 1.0, RISC 1.0)", () => {
  it.each<[string, string, Json]>([
    ["session-revoked", `${CAEP}session-revoked`, { initiating_entity: "policy" }],
    ["credential-change", `${CAEP}credential-change`, { credential_type: "password", change_type: "update" }],
    ["credential-change", `${CAEP}credential-change`, { credential_type: "fido2-platform", change_type: "revoke" }],
    [
      "device-compliance-change",
      `${CAEP}device-compliance-change`,
      { previous_status: "compliant", current_status: "not-compliant" },
    ],
    ["account-disabled", `${RISC}account-disabled`, { reason: "hijacking" }],
    ["credential-compromise", `${RISC}credential-compromise`, { credential_type: "password" }],
  ])("%s ends all access of the person, including apps with offline access", async (name, type, event) => {
    const ben = await sso.signIn("one");
    const offline = await sso.connect(app, "one");
    const answer = await postEvent(await set(type, event));
    expect([answer.status, await answer.text(), answer.headers.get("Cache-Control")]).toEqual([202, "", "no-store"]);
    expect([await isSignedIn(ben), (await app.refresh(offline.refresh_token)).status]).toEqual([false, 400]);
    const personId = await idOf(BEN);
    expect(await receipt()).toEqual({ actor: `signal:${transmitter.url}`, event: name, effect: "person", personId });
  });

  it.each<[string, string, Json]>([
    ["a device that complies again", `${CAEP}device-compliance-change`, { current_status: "compliant" }],
    ["another credential", `${CAEP}credential-change`, { credential_type: "fido2-roaming", change_type: "create" }],
    ["an event that isn't known", "https://schemas.example/coffee-ready", { strength: 11 }],
    ["a name of every object", "constructor", {}],
  ])("is accepted and changes nothing: %s", async (_name, type, event) => {
    const ben = await sso.signIn("one");
    expect((await postEvent(await set(type, event))).status).toBe(202);
    expect(await isSignedIn(ben)).toBe(true);
    expect(await receipt()).toMatchObject({ effect: "none" });
  });

  it.each<[string, () => Json]>([
    ["an account of the SSO", () => ({ format: "iss_sub", iss: sso.issuer.url, sub: "ben" })],
    ["aliases", () => ({ format: "aliases", identifiers: [{ format: "uri", uri: "acct:x" }, BY_EMAIL] })],
    ["a complex subject", () => ({ format: "complex", user: BY_EMAIL, device: { format: "opaque", id: "laptop" } })],
    [
      "a session that nothing is known of, with its user",
      () => ({ format: "complex", user: BY_EMAIL, session: { format: "opaque", id: "?" } }),
    ],
  ])("finds the person named by %s", async (_name, subject) => {
    const ben = await sso.signIn("one");
    expect((await postEvent(await set(`${CAEP}session-revoked`, {}, { sub_id: subject() }))).status).toBe(202);
    expect(await isSignedIn(ben)).toBe(false);
  });

  it("names nobody by aliases within aliases, however their format is written", async () => {
    const ben = await sso.signIn("one");
    for (const written of ["format", "subject_type"]) {
      const inner = { [written]: "aliases", identifiers: [BY_EMAIL] };
      const subject = { format: "aliases", identifiers: [inner] };
      const answer = await postEvent(await set(`${CAEP}session-revoked`, {}, { sub_id: subject }));
      expect([written, answer.status]).toEqual([written, 400]);
    }
    expect(await isSignedIn(ben)).toBe(true);
  });

  it("is accepted as Okta's and Google's transmitters send it", async () => {
    const account = { iss: sso.issuer.url, sub: "ben" };
    const messages: readonly [string, () => Json][] = [
      [
        `${CAEP}session-revoked`,
        () => ({ subject: { user: { format: "iss_sub", ...account } }, event_timestamp: Date.now() }),
      ],
      [
        `${CAEP}credential-change`,
        () => ({ subject: { format: "iss_sub", ...account }, credential_type: "ALL_FACTORS", change_type: "revoke" }),
      ],
      [`${RISC}sessions-revoked`, () => ({ subject: { subject_type: "iss-sub", ...account } })],
      [
        `${RISC}account-disabled`,
        () => ({ subject: { subject_type: "id_token_claims", ...account, email: BEN }, reason: "hijacking" }),
      ],
    ];
    for (const [type, eventOf] of messages) {
      const ben = await sso.signIn("one");
      expect((await postEvent(await set(type, eventOf(), { sub_id: undefined }))).status).toBe(202);
      expect([type, await isSignedIn(ben)]).toEqual([type, false]);
    }
  });

  it("may have its subject within the event and without a format, as older transmitters send it", async () => {
    const ben = await sso.signIn("one");
    const event = { subject: { user: BY_EMAIL } };
    expect((await postEvent(await set(`${CAEP}session-revoked`, event, { sub_id: undefined }))).status).toBe(202);
    expect(await isSignedIn(ben)).toBe(false);
  });

  it("about one session ends only that session, with its offline access", async () => {
    await enter({}, undefined, sso.issuer.url);
    const [here, elsewhere] = [await sso.signIn("one"), await sso.signIn("two")];
    const [one, two] = [await sso.connect(app, "one"), await sso.connect(app, "two")];
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: sso.issuer.url,
      aud: AUDIENCE,
      iat: now,
      jti: crypto.randomUUID(),
      sub_id: { format: "complex", user: BY_EMAIL, session: { format: "opaque", id: "one" } },
      events: { [`${CAEP}session-revoked`]: {} },
    };
    expect((await postEvent(await sso.sign(claims, { typ: "secevent+jwt" }))).status).toBe(202);
    expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([false, true]);
    expect((await app.refresh(one.refresh_token)).status).toBe(400);
    expect((await app.refresh(two.refresh_token)).status).toBe(200);
  });

  it("about one session without its person has no effect if the transmitter is limited to some domains", async () => {
    await enter({ emailDomains: ["other.example"] }, undefined, sso.issuer.url);
    const ben = await sso.signIn("one");
    const claims = {
      iss: sso.issuer.url,
      aud: AUDIENCE,
      iat: Math.floor(Date.now() / 1000),
      jti: crypto.randomUUID(),
      sub_id: { format: "complex", session: { format: "opaque", id: "one" } },
      events: { [`${CAEP}session-revoked`]: {} },
    };
    expect((await postEvent(await sso.sign(claims, { typ: "secevent+jwt" }))).status).toBe(202);
    expect(await isSignedIn(ben)).toBe(true);
  });

  it("about somebody unknown, or outside the transmitter's domains, is accepted and recorded but changes nothing", async () => {
    await enter({ emailDomains: ["other.example"] });
    const ben = await sso.signIn("one");
    expect((await postEvent(await set(`${CAEP}session-revoked`))).status).toBe(202);
    expect(await isSignedIn(ben)).toBe(true);
    expect(await receipt()).toMatchObject({ effect: "none", subject: BEN });
    await enter({ emailDomains: ["@ACME.example"] });
    expect((await postEvent(await set(`${CAEP}session-revoked`))).status).toBe(202);
    expect(await isSignedIn(ben)).toBe(false);
  });

  it("that verifies the stream is accepted, and shown in the console", async () => {
    const console = await openAsOwner();
    expect(await console.read("/admin/signals")).toContain("Never");
    const token = await set(VERIFICATION, { state: "x" }, { sub_id: { format: "opaque", id: "stream-1" } });
    expect((await postEvent(token)).status).toBe(202);
    const page = await console.read("/admin/signals");
    expect(page).not.toContain("Never");
    expect(page).toContain(`value="${AUDIENCE}"`);
  });

  it("with several events about one person ends their access once, and names them all", async () => {
    const ben = await sso.signIn("one");
    const personId = await idOf(BEN);
    const before = (await receipts()).length;
    const types = ["account-disabled", "account-purged", "credential-compromise", "sessions-revoked"];
    const ending = Object.fromEntries(types.map((type) => [`${RISC}${type}`, {}]));
    const events = { ...ending, [`${CAEP}credential-change`]: { change_type: "revoke" }, "https://other.example": {} };
    expect((await postEvent(await set(`${RISC}account-disabled`, {}, { events }))).status).toBe(202);
    expect(await isSignedIn(ben)).toBe(false);
    const effects = (await receipts()).slice(before);
    expect(effects).toEqual([
      { event: [...types, "credential-change"].join(", "), effect: "person", personId },
      { event: "https://other.example", effect: "none" },
    ]);
  });

  it("that was received before is accepted again, but changes nothing (RFC 8935 §2)", async () => {
    const token = await set(`${CAEP}session-revoked`);
    expect((await postEvent(token)).status).toBe(202);
    const ben = await sso.signIn("later");
    expect((await postEvent(token)).status).toBe(202);
    expect(await isSignedIn(ben)).toBe(true);
  });

  it("is not lost if an earlier delivery of it was still in progress, and then failed", async () => {
    const ben = await sso.signIn("one");
    const token = await set(`${CAEP}session-revoked`);
    const [{ promise: begun, resolve: begin }, { promise: outage, resolve: fail }] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    // Reads the policy beforehand, so that only the sign-out itself fails.
    expect((await postEvent("none")).status).toBe(400);
    const batch = env.DB.batch.bind(env.DB);
    let isFirst = true;
    const failing = vi.spyOn(env.DB, "batch").mockImplementation(async (all) => {
      if (all.length === 1 || !isFirst) return batch(all);
      isFirst = false;
      begin();
      await outage;
      throw new Error("down");
    });
    const first = postEvent(token);
    await begun;
    expect((await postEvent(token)).status).toBe(202);
    fail();
    expect((await first).status).toBe(503);
    failing.mockRestore();
    expect(await isSignedIn(ben)).toBe(false);
  });

  describe("that comes late", () => {
    const seconds = () => Math.floor(Date.now() / 1000);

    it.each([
      ["an hour", 3700, (at: number) => [{ event_timestamp: at }, { iat: at }] as const],
      ["two hours, in milliseconds", 7200, (at: number) => [{ event_timestamp: at * 1000 }, { iat: at }] as const],
      ["a day", 86_400, (at: number) => [{}, { iat: at, toe: at }] as const],
      ["a day, without saying when it happened", 86_400, (at: number) => [{}, { iat: at }] as const],
      ["six days", 6 * 86_400, (at: number) => [{ event_timestamp: at }, { iat: at + 1 }] as const],
      ["a day, in a token of now", 86_400, (at: number) => [{ event_timestamp: at }, {}] as const],
    ])("by %s ends what was given before it happened, and nothing that was given after", async (_, late, claims) => {
      await env.DB.prepare("DELETE FROM sessions").run();
      const give = async () => {
        await sso.signIn("late");
        const token = await issueToken(instance, {
          kind: "client-api",
          scopes: ["SEARCH"],
          person: BEN,
          lifetimeSeconds: 9 * 86_400,
        });
        return { given: await sso.connect(app, "late"), secret: token.secret };
      };
      const before = await give();
      travel(60);
      const at = seconds();
      travel(60);
      const after = await give();
      travel(late);
      const [event, others] = claims(at);
      expect((await postEvent(await set(`${CAEP}session-revoked`, event, others))).status).toBe(202);
      expect(await receipt()).toMatchObject({ effect: "person", until: at });
      for (const [{ given, secret }, status, isRefused] of [
        [before, 401, true],
        [after, 200, false],
      ] as const) {
        expect((await search(secret)).status).toBe(status);
        expect((await app.refresh(given.refresh_token)).status).toBe(isRefused ? 400 : 200);
      }
      const { results } = await env.DB.prepare("SELECT created_at > ?1 AS isLater FROM sessions").bind(at).all();
      expect(results).toEqual([{ isLater: 1 }]);
    });

    it("about one session ends what was given in it before, and changes nothing the second time", async () => {
      await enter({}, undefined, sso.issuer.url);
      const before = await sso.connect(app, "one");
      travel(60);
      const at = seconds();
      travel(60);
      const after = await sso.connect(app, "one");
      travel(7200);
      const claims = {
        iss: sso.issuer.url,
        aud: AUDIENCE,
        iat: at,
        jti: crypto.randomUUID(),
        sub_id: { format: "complex", user: BY_EMAIL, session: { format: "opaque", id: "one" } },
        events: { [`${CAEP}session-revoked`]: { event_timestamp: at } },
      };
      const token = await sso.sign(claims, { typ: "secevent+jwt" });
      expect((await postEvent(token)).status).toBe(202);
      expect((await app.refresh(before.refresh_token)).status).toBe(400);
      const { refresh_token } = await expectTokens(await app.refresh(after.refresh_token));
      const entries = (await receipts()).length;
      travel(6 * 86_400);
      expect((await postEvent(token)).status).toBe(202);
      expect((await receipts()).length).toBe(entries);
      expect((await app.refresh(refresh_token)).status).toBe(200);
    });

    it.each([
      ["all of the person", {}],
      ["one session", { sub_id: { format: "complex", user: BY_EMAIL, session: { format: "opaque", id: "one" } } }],
    ])("about %s ends what was allowed after it in a session from before it", async (about, claims) => {
      await enter({}, undefined, sso.issuer.url);
      await env.DB.prepare("DELETE FROM sessions").run();
      await env.DB.prepare("DELETE FROM authorization_requests").run();
      const [before, at, after] = [seconds(), seconds() + 60, seconds() + 90];
      travel(120);
      const give = async (authTime: number) => {
        await sso.signIn("one", "ben", authTime);
        await app.atConsent(sso.at("one", authTime));
        return {
          app: await sso.connect(app, "one", undefined, authTime),
          personal: about === "one session" ? undefined : await personalToken(authTime),
        };
      };
      const [stolen, own, unstated] = [await give(before), await give(after), await give(0)];
      const event = { iss: sso.issuer.url, aud: AUDIENCE, iat: seconds(), jti: crypto.randomUUID(), sub_id: BY_EMAIL };
      const events = { [`${CAEP}session-revoked`]: { event_timestamp: at } };
      const sent = await sso.sign({ ...event, events, ...claims }, { typ: "secevent+jwt" });
      expect((await postEvent(sent)).status).toBe(202);
      for (const [given, isRefused] of [
        [stolen, true],
        [own, false],
        [unstated, false],
      ] as const) {
        expect((await app.refresh(given.app.refresh_token)).status).toBe(isRefused ? 400 : 200);
        if (given.personal) expect((await search(given.personal)).status).toBe(isRefused ? 401 : 200);
      }
      for (const table of ["sessions", "authorization_requests"]) {
        const { results } = await env.DB.prepare(`SELECT sso_session FROM ${table} WHERE person_id IS NOT NULL`).all();
        expect(results, table).toHaveLength(2);
      }
    });

    it("ends a personal token whose secret was renewed in a session from before it, by its own person only", async () => {
      const [before, at] = [seconds(), seconds() + 60];
      travel(120);
      const tokens = [await personalToken(seconds()), await personalToken(seconds())];
      const ids = await Promise.all(tokens.map(idOfToken));
      const rotate = async (id: string | undefined, email: string) => {
        const decider = { instance, actor: await idOf(email), authority: authorityOfRole("owner", before) };
        return (
          (await servicesOf(env)
            .administrationWithin(decider)
            .serviceTokens.rotate(id ?? "", true)) ?? ""
        );
      };
      const renewed = await rotate(ids[0], BEN);
      const byAnother = await rotate(ids[1], "ada@acme.example");
      expect((await postEvent(await set(`${CAEP}session-revoked`, { event_timestamp: at }))).status).toBe(202);
      expect((await search(renewed)).status).toBe(401);
      expect((await search(byAnother)).status).toBe(200);
    });

    it("leaves a request under way that began later, and tokens of identity providers from later", async () => {
      const given = await sso.connect(app, "one");
      travel(60);
      const at = seconds();
      travel(60);
      await env.DB.prepare("DELETE FROM authorization_requests").run();
      await app.atConsent({ issuer: sso.issuer.url, sid: "one" });
      travel(60);
      expect((await postEvent(await set(`${CAEP}session-revoked`, {}, { iat: at }))).status).toBe(202);
      expect((await app.refresh(given.refresh_token)).status).toBe(400);
      const rows = env.DB.prepare("SELECT count(*) AS n FROM authorization_requests WHERE stage = 'consent'");
      expect(await rows.first("n")).toBe(1);
      const person = env.DB.prepare("SELECT signed_out_at / 1000 AS second FROM people WHERE email = ?1").bind(BEN);
      expect(await person.first("second")).toBe(at);
    });

    it("ends what was given just before, if the clock of its transmitter is a little behind", async () => {
      const ben = await sso.signIn("one");
      const at = seconds() - 25;
      expect((await postEvent(await set(`${CAEP}session-revoked`, { event_timestamp: at }, { iat: at }))).status).toBe(
        202,
      );
      expect(await isSignedIn(ben)).toBe(false);
    });

    it.each([0, -1, "yesterday", null, 9e18])("counts a time that is none as none: %j", async (event_timestamp) => {
      const ben = await sso.signIn("one");
      expect((await postEvent(await set(`${CAEP}session-revoked`, { event_timestamp }))).status).toBe(202);
      expect(await isSignedIn(ben)).toBe(false);
    });
  });

  it("takes effect in another isolate within ten seconds", async () => {
    const isolate = new ObservedIsolate();
    const { access_token: token } = await sso.connect(app, "one");
    expect((await isolate.search(token)).status).toBe(200);
    expect((await postEvent(await set(`${CAEP}session-revoked`))).status).toBe(202);
    travel(REACH_SECONDS);
    expect((await isolate.search(token)).status).toBe(401);
  });
});

describe("a message that is not a security event of a transmitter (RFC 8935 §2.4)", () => {
  const revoked = `${CAEP}session-revoked`;

  it.each<[string, string, () => Promise<string>]>([
    ["text", "invalid_request", async () => "revoke"],
    ["a logout token", "invalid_request", () => set(revoked, {}, {}, { typ: "logout+jwt" })],
    ["a JWT without the type", "invalid_request", () => set(revoked, {}, {}, { typ: undefined })],
    ["no event", "invalid_request", () => set(revoked, {}, { events: {} })],
    ["an event that is a text", "invalid_request", () => set(revoked, {}, { events: { [revoked]: "now" } })],
    ["no subject", "invalid_request", () => set(revoked, {}, { sub_id: undefined })],
    [
      "a subject of an unknown format",
      "invalid_request",
      () => set(revoked, {}, { sub_id: { format: "did", url: "did:x" } }),
    ],
    ["a key that it is bound to", "invalid_request", () => set(revoked, {}, { cnf: { jkt: "A".repeat(43) } })],
    ["no id", "invalid_request", () => set(revoked, {}, { jti: undefined })],
    [
      "one of eight days ago",
      "invalid_request",
      () => set(revoked, {}, { iat: Math.floor(Date.now() / 1000) - 8 * 86_400 }),
    ],
    ["one of another sender", "invalid_issuer", () => set(revoked, {}, { iss: "https://evil.example" })],
    ["one for another receiver", "invalid_audience", () => set(revoked, {}, { aud: "https://other.example" })],
    [
      "one that was changed",
      "invalid_key",
      async () => tampered(await set(revoked), { sub_id: { format: "email", email: "x@y.example" } }),
    ],
    ["one that says HS256", "invalid_key", () => set(revoked, {}, {}, { alg: "HS256" })],
    ["one by an unknown key", "invalid_key", () => set(revoked, {}, {}, { kid: "key-unknown" })],
  ])("is refused as %s: %s", async (_name, err, make) => {
    const ben = await sso.signIn("steady");
    const answer = await postEvent(await make());
    expect([answer.status, answer.headers.get("Content-Language")]).toEqual([400, "en"]);
    expect(await answer.json()).toEqual({ err, description: expect.any(String) });
    expect(await isSignedIn(ben)).toBe(true);
  });

  it("is refused at another instance, and once the transmitter is removed", async () => {
    const elsewhere = await postEvent(await set(revoked), {}, "http://other.localhost");
    expect(await elsewhere.json()).toMatchObject({ err: "invalid_issuer" });
    const { administrationOf, transmitters } = servicesOf(env);
    const stored = await transmitters.find(instance.id, transmitter.url);
    await administrationOf(instance, "test").signals.remove(stored ?? expect.fail());
    expect(await (await postEvent(await set(revoked))).json()).toMatchObject({ err: "invalid_issuer" });
  });

  it("is refused without the transmitter's Authorization header, which is stored as a hash", async () => {
    const header = `Bearer ${crypto.randomUUID()}`;
    await enter({}, header);
    for (const headers of [{}, { Authorization: "Bearer guess" }]) {
      const answer = await postEvent(await set(revoked), headers);
      expect([answer.status, await answer.json()]).toMatchObject([400, { err: "authentication_failed" }]);
    }
    expect((await postEvent(await set(revoked), { Authorization: header })).status).toBe(202);
    // A change that leaves the header out keeps it.
    await enter({ name: "Another name" });
    expect((await postEvent(await set(revoked))).status).toBe(400);
    const rows = await env.DB.prepare("SELECT * FROM signal_transmitters").all();
    expect(JSON.stringify(rows.results)).not.toContain(header);
    await enter({}, null);
    expect((await postEvent(await set(revoked))).status).toBe(202);
  });

  it("is refused in another format, or if it is too large", async () => {
    const form = await postEvent("logout_token=x", { "Content-Type": "application/x-www-form-urlencoded" });
    expect([form.status, await form.json()]).toMatchObject([400, { err: "invalid_request" }]);
    const large = await postEvent("x".repeat(70_000));
    expect([large.status, await large.json()]).toMatchObject([413, { err: "invalid_request" }]);
  });
});

describe("an identity provider besides the SSO", () => {
  it("can end all access by global token revocation, while it is a transmitter", async () => {
    const ben = await sso.signIn("one");
    const ask = async () => {
      const forge = await transmitter.forge();
      const now = Math.floor(Date.now() / 1000);
      const aud = `${ORIGIN}/oauth/global-token-revocation`;
      const claims = { iss: transmitter.url, aud, jti: crypto.randomUUID(), iat: now, exp: now + 300 };
      const token = await forge.sign({ ...forge.header, typ: "global-token-revocation+jwt" }, claims);
      return (await postRevocation(token, { sub_id: BY_EMAIL })).status;
    };
    expect([await ask(), await isSignedIn(ben)]).toEqual([204, false]);
    const { administrationOf, transmitters } = servicesOf(env);
    const stored = await transmitters.find(instance.id, transmitter.url);
    await administrationOf(instance, "test").signals.remove(stored ?? expect.fail());
    expect(await ask()).toBe(401);
  });
});

describe("the console's page about a transmitter", () => {
  it("adds, changes and removes it", async () => {
    const console = await openAsOwner();
    const issuer = "https://signals.example";
    const added = { issuer, name: "MDM", audience: "here", authorizationSecret: "Bearer 0123456789abcdef" };
    const answer = await console.post("/admin/signals/transmitter", added);
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/admin/signals?done=saved"]);
    const page = `/admin/signals/transmitter?issuer=${encodeURIComponent(issuer)}`;
    expect(await console.read(page)).toContain("Leave empty to keep the stored one");
    expect(await console.read(page)).not.toContain("0123456789abcdef");
    await console.post("/admin/signals/transmitter", { issuer, name: "Intune", audience: "here", withoutHeader: "on" });
    const stored = await servicesOf(env).transmitters.find(instance.id, issuer);
    expect(stored).toMatchObject({ configuration: { name: "Intune" }, authorizationHash: null });
    const asked = await console.read(`/admin/signals/remove?issuer=${encodeURIComponent(issuer)}`);
    expect(asked).toContain("Remove “Intune”?");
    expect((await console.get(page)).status).toBe(200);
    await console.post("/admin/signals/remove", { issuer });
    expect((await console.get(page)).status).toBe(404);
  });

  it.each([
    ["issuer", { issuer: "http://signals.example" }],
    ["audience", { audience: "" }],
    ["jwksUri", { jwksUri: "ftp://signals.example/keys" }],
    ["authorizationSecret", { authorizationSecret: "short" }],
  ])("says what is wrong with %s", async (field, changes) => {
    const console = await openAsOwner();
    const good = { issuer: "https://signals.example", name: "MDM", audience: "here" };
    const answer = await console.post("/admin/signals/transmitter", { ...good, ...changes });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(`href="#${field}"`);
  });
});
