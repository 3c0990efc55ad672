import type { InstanceRecord } from "#instance/instances.ts";
import { EXTERNAL_ALGORITHMS } from "#issuers/issuer-members.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, search } from "../support/app-client.ts";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { outcomeOf } from "../support/external-attacks.ts";
import { env } from "../support/isolate.ts";
import { MeasuredIsolate } from "../support/measured-isolate.ts";
import { ObservedIsolate, WORDLESS } from "../support/observed-isolate.ts";
import { postMcp, type RpcAnswer } from "../support/mcp.ts";
import { draft, Pipeline, type SearchAnswer } from "../support/pipeline.ts";
import { ANNOUNCED, AUDIENCE, CLIENT_ID, type KeyName, removeIssuers, TestIssuer } from "../support/test-issuer.ts";
import { changeSettings, connectSso, makeInstance, ORIGIN, send, setDeactivated, travel } from "../support/world.ts";
import { knownPerson, signOut } from "../support/people.ts";

/** The longest time until a decision takes effect in another isolate. */
const REACH_SECONDS = 10;
const OTHER_ORIGIN = "http://other.localhost";

let acme: InstanceRecord;
let other: InstanceRecord;
let issuer: TestIssuer;

beforeAll(async () => {
  [acme, other] = [await makeInstance(), await makeInstance("other")];
  const pipeline = await Pipeline.of(acme);
  await pipeline.index(
    draft("ben", { permissions: { allowedUsers: [{ email: "ben@acme.example" }] } }),
    draft("gita", { permissions: { allowedUsers: [{ email: "gita@acme.example" }] } }),
    ...["engineering", "finance", "legal"].map((group) => draft(group, { permissions: { allowedGroups: [group] } })),
  );
  await (await Pipeline.of(other, undefined, OTHER_ORIGIN)).index(
    draft("elsewhere", { permissions: { allowedUsers: [{ email: "ben@acme.example" }] } }),
  );
});

beforeEach(async () => {
  issuer = await TestIssuer.publishing("rsa", "ec", "p384", "p521", "ed25519");
});

afterEach(async () => {
  vi.useRealTimers();
  for (const instance of [acme, other]) await removeIssuers(instance);
});

describe("an external token whose times have fractions (RFC 7519 §2)", () => {
  it("is accepted until it expires, and its iat is stored in whole seconds", async () => {
    await issuer.register(acme, { groupsClaim: "groups", groupsMeetDirectory: true });
    const now = Math.floor(Date.now() / 1000);
    const token = await issuer.token({ iat: now - 10.25, nbf: now - 10.25, exp: now + 600.75, groups: ["legal"] });
    expect(await outcomeOf(token, ANNOUNCED)).toEqual([200]);
    const read = await env.DB.prepare("SELECT directory_read_at AS at FROM people ORDER BY at DESC").first("at");
    expect(read).toBe(now - 11);
    travel(601);
    expect(await outcomeOf(token, ANNOUNCED)).toEqual([401, "invalid_token"]);
  });
});

describe("a new external token of a linked account", () => {
  let isolate: MeasuredIsolate;

  /** Sends a new token, which must be let in. It is Ben's by default. */
  async function ask(claims: Record<string, unknown> = {}, from = isolate): Promise<void> {
    const authorization = `Bearer ${await issuer.token({ jti: crypto.randomUUID(), ...claims })}`;
    const headers = { ...ANNOUNCED, "Content-Type": "application/json", Authorization: authorization };
    const init = { method: "POST", headers, body: JSON.stringify(WORDLESS) };
    expect((await from.send(`${ORIGIN}/rest/api/v1/search`, init)).status).toBe(200);
  }

  beforeEach(async () => {
    await issuer.register(acme);
    // Stops the clock, so that the policy snapshot that the first token reads does not expire.
    travel(0);
    isolate = new MeasuredIsolate();
    await ask();
  });

  it("costs one read of a person, and no write", async () => {
    const carla = { email: "carla@acme.example" };
    await ask(carla, new MeasuredIsolate());
    const cost = await isolate.costOf(() => ask(carla));
    expect(cost).toMatchObject({ statements: 1, roundTrips: 1, rowsWritten: 0 });
  });

  it("costs no storage if the isolate has read the person for another token", async () => {
    const cost = await isolate.costOf(() => ask());
    expect(cost).toMatchObject({ statements: 0, roundTrips: 0 });
  });
});

/** Returns the sorted ids of the documents that the token's person finds. */
async function found(token: string, origin = ORIGIN): Promise<string[]> {
  const response = await search(token, { query: "title", pageSize: 100 }, ANNOUNCED, origin);
  if (response.status !== 200) throw new Error(`search answered ${response.status}: ${await response.text()}`);
  const { results } = await response.json<SearchAnswer>();
  return results.map(({ document }) => document.id.replace(/^[^:]*:/, "")).sort();
}

/** Does the same when the isolate's cached groups of the person are too old to be used. */
function foundAnew(token: string): Promise<string[]> {
  travel(REACH_SECONDS);
  return found(token);
}

async function outcomeIn(isolate: ObservedIsolate, token: string): Promise<unknown[]> {
  const response = await isolate.search(token, WORDLESS, ANNOUNCED);
  return response.status === 200 ? [200] : [response.status, (await readRefusal(response)).error];
}

function signIn(sub: string): Promise<unknown> {
  return AppClient.registered().then((app) => app.tokens(sub));
}

describe("an external token is let in", () => {
  const keys: Record<string, KeyName> = { ES256: "ec", ES384: "p384", ES512: "p521", EdDSA: "ed25519" };

  it.each(EXTERNAL_ALGORITHMS)(
    "if it is signed with %s and the issuer's algorithms include it (RFC 7518 §3.1, RFC 8037)",
    async (algorithm) => {
      await issuer.register(acme, { algorithms: [algorithm] });
      expect(await outcomeOf(await issuer.token({}, keys[algorithm] ?? "rsa", algorithm))).toEqual([200]);
    },
  );

  it.each(["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt", undefined])("with the type %s", async (typ) => {
    await issuer.register(acme);
    expect(await outcomeOf(await (await issuer.forge()).withHeader({ typ }))).toEqual([200]);
  });

  it.each([
    ["azp", { azp: CLIENT_ID }],
    ["appid", { azp: undefined, appid: CLIENT_ID }],
    ["cid", { azp: undefined, cid: CLIENT_ID }],
    ["client_id", { azp: undefined, client_id: CLIENT_ID }],
    ["aud", { azp: undefined, aud: CLIENT_ID }],
    ["aud, a list", { azp: undefined, aud: ["api://mail", CLIENT_ID] }],
  ])("if it names its application in %s", async (_claim, changes) => {
    await issuer.register(acme, { audiences: [] });
    expect(await outcomeOf(await issuer.token(changes))).toEqual([200]);
  });

  it("unless only aud names the application and it names several, because their rules could be evaded", async () => {
    await issuer.register(acme, { audiences: [], clientIds: [CLIENT_ID, "intranet"] });
    const both = [CLIENT_ID, "intranet"];
    expect(await outcomeOf(await issuer.token({ azp: undefined, aud: both }))).toEqual([403, "client_not_registered"]);
    expect(await outcomeOf(await issuer.token({ azp: "intranet", aud: both }))).toEqual([200]);
    expect(await outcomeOf(await issuer.token({ azp: undefined, aud: [CLIENT_ID, CLIENT_ID] }))).toEqual([200]);
  });

  it("if the claim that an administrator chose names the application, and no other claim will do", async () => {
    await issuer.register(acme, { clientIdClaim: "https://idp.example/app" });
    expect(await outcomeOf(await issuer.token({ azp: "x", "https://idp.example/app": CLIENT_ID }))).toEqual([200]);
    expect(await outcomeOf(await issuer.token())).toEqual([403, "client_not_registered"]);
  });

  it("if it is for one of the registered audiences, alone or among others", async () => {
    await issuer.register(acme, { audiences: [AUDIENCE, "api://search"] });
    for (const aud of [AUDIENCE, "api://search", [AUDIENCE], ["api://mail", "api://search"]]) {
      expect(await outcomeOf(await issuer.token({ aud }))).toEqual([200]);
    }
  });

  it("only with the required claims, such as the organisation's tenant id", async () => {
    await issuer.register(acme, { requiredClaims: { tid: "acme-tenant" } });
    expect(await outcomeOf(await issuer.token({ tid: "acme-tenant" }))).toEqual([200]);
    for (const tid of [undefined, "evil-tenant", "ACME-TENANT", ["acme-tenant"]]) {
      expect(await outcomeOf(await issuer.token({ tid }))).toEqual([401, "invalid_token"]);
    }
  });

  it("although the issuer's clock is 25 seconds ahead of ours", async () => {
    await issuer.register(acme);
    const soon = Math.floor(Date.now() / 1000) + 25;
    expect(await outcomeOf(await issuer.token({ iat: soon, nbf: soon }))).toEqual([200]);
  });

  it("only with the scopes of its issuer's registration, whatever scopes it claims", async () => {
    await issuer.register(acme, { scopes: ["CHAT"] });
    expect(await outcomeOf(await issuer.token({ scope: "SEARCH CHAT" }))).toEqual([403, "insufficient_scope"]);
  });

  it("until it expires, even if it is cached", async () => {
    await issuer.register(acme);
    const token = await issuer.token({ exp: Math.floor(Date.now() / 1000) + 60 });
    expect(await outcomeOf(token)).toEqual([200]);
    travel(61);
    expect(await outcomeOf(token)).toEqual([401, "invalid_token"]);
  });

  it("only with the header X-<Service>-Auth-Type: OAUTH, even if it is cached", async () => {
    await issuer.register(acme);
    const token = await issuer.token();
    expect(await outcomeOf(token)).toEqual([200]);
    expect(await outcomeOf(token, {})).toEqual([401, "invalid_secret"]);
    expect(await outcomeOf(token, { "X-Gatehouse-Auth-Type": "BASIC" })).toEqual([401, "invalid_secret"]);
  });

  it("or else refused with a valid challenge, even if the configured audience needs escaping (RFC 6750 §3)", async () => {
    await issuer.register(acme, { audiences: ['api://"größe"\\'] });
    const response = await search(await issuer.token(), undefined, ANNOUNCED);
    expect(response.status).toBe(401);
    expect(readChallenge(response)["error"]).toBe("invalid_token");
  });
});

describe("an external token identifies a person", () => {
  it("by an email that the token says is verified, with the JSON value true", async () => {
    await issuer.register(acme);
    expect(await found(await issuer.token({ email_verified: true }))).toContain("ben");
  });

  it.each(["true", 1, "1", "TRUE", [true], {}, false, null, undefined])(
    "by no email that the token says is verified with %j",
    async (email_verified) => {
      await issuer.register(acme);
      expect(await outcomeOf(await issuer.token({ email_verified }))).toEqual([401, "invalid_token"]);
    },
  );

  it("by no email that the token says is unverified, even if an administrator vouches for emails", async () => {
    await issuer.register(acme, { emailVouchedBy: "administrator" });
    for (const email_verified of [false, "false", 0, "no", "", {}]) {
      expect(await outcomeOf(await issuer.token({ email_verified }))).toEqual([401, "invalid_token"]);
    }
  });

  it("by an email in any case, and by no address that looks like it", async () => {
    await issuer.register(acme);
    expect(await found(await issuer.token({ email: "BEN@Acme.Example" }))).toContain("ben");
    for (const email of ["bеn@acme.example", "ｂen@acme.example", "ben+1@acme.example"]) {
      expect(await found(await issuer.token({ email }))).not.toContain("ben");
    }
    expect(await outcomeOf(await issuer.token({ email: "ben@аcme.example" }))).toEqual([401, "invalid_token"]);
  });

  it("by the claims that an administrator chose, such as Entra's upn and xms_edov", async () => {
    await issuer.register(acme, { personClaim: "upn", emailVerifiedClaim: "xms_edov" });
    const entra = { email: undefined, email_verified: undefined, upn: "ben@acme.example" };
    expect(await found(await issuer.token({ ...entra, xms_edov: true }))).toContain("ben");
    expect(await outcomeOf(await issuer.token({ ...entra, email_verified: true }))).toEqual([401, "invalid_token"]);
  });

  it("by an email that an administrator vouches for", async () => {
    await issuer.register(acme, { emailVouchedBy: "administrator" });
    for (const email_verified of [undefined, null, "true", "True"]) {
      expect(await found(await issuer.token({ email_verified }))).toContain("ben");
    }
  });

  it("by its subject if the same issuer signs people in, whatever email the token claims", async () => {
    await connectSso(await makeInstance("subjects"), issuer.url);
    const instance = await servicesOf(env).instances.require("subjects");
    await issuer.register(instance, { personBy: "subject", personClaim: "sub" });
    await (await Pipeline.of(instance, undefined, "http://subjects.localhost")).index(
      draft("carla", { permissions: { allowedUsers: [{ email: "carla@acme.example" }] } }),
    );
    const { id } = await knownPerson(instance, "carla@acme.example");
    await env.DB.prepare("UPDATE people SET sso_issuer = ?2, sso_subject = 'carla-1' WHERE id = ?1")
      .bind(id, issuer.url)
      .run();
    expect(await found(await issuer.token({ sub: "carla-1" }), "http://subjects.localhost")).toEqual(["carla"]);
    for (const sub of ["carla-2", "carla-1 ", "CARLA-1", "", 1, null, ["carla-1"], undefined]) {
      const response = await search(
        await issuer.token({ sub, email: "carla@acme.example" }),
        undefined,
        ANNOUNCED,
        "http://subjects.localhost",
      );
      expect([response.status, (await readRefusal(response)).error]).toEqual([401, "invalid_token"]);
    }
  });

  it("who is created once, with their name, by the first of several tokens", async () => {
    await issuer.register(acme);
    const email = "gita@acme.example";
    const people = () =>
      env.DB.prepare("SELECT id, name FROM people WHERE instance_id = ?1 AND email = ?2").bind(acme.id, email).all();
    expect((await people()).results).toEqual([]);
    const tokens = await Promise.all([1, 2, 3].map((jti) => issuer.token({ email, name: " Gita Rao ", jti })));
    for (const token of tokens) expect(await found(token)).toEqual(["gita"]);
    expect((await people()).results).toEqual([{ id: expect.any(String), name: "Gita Rao" }]);
  });

  it("separately at each instance: at another one, the same token identifies another person", async () => {
    await issuer.register(acme);
    await issuer.register(other);
    const token = await issuer.token();
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await found(token)).toContain("ben");
      expect(await found(token, OTHER_ORIGIN)).toEqual(["elsewhere"]);
    }
    await setDeactivated(other, "ben@acme.example");
    expect(await outcomeOf(token)).toEqual([200]);
    expect((await search(token, undefined, ANNOUNCED, OTHER_ORIGIN)).status).toBe(401);
    await setDeactivated(other, "ben@acme.example", false);
  });

  it("at no instance where its issuer is not registered, even if the token is cached", async () => {
    await issuer.register(acme);
    await (await TestIssuer.publishing("rsa")).register(other);
    const token = await issuer.token();
    expect(await outcomeOf(token)).toEqual([200]);
    const response = await search(token, undefined, ANNOUNCED, OTHER_ORIGIN);
    expect([response.status, (await readRefusal(response)).error]).toEqual([403, "issuer_not_registered"]);
  });
});

describe("an external token's groups", () => {
  const now = () => Math.floor(Date.now() / 1000);
  const email = "farid@acme.example";

  it("are used if an administrator named the claim; a later token replaces them, an earlier one does not", async () => {
    await issuer.register(acme, { groupsClaim: "groups", groupsMeetDirectory: true });
    const early = await issuer.token({ email, groups: ["Finance"], iat: now() - 100 });
    const late = await issuer.token({ email, groups: ["legal"], iat: now() - 50 });
    const between = await issuer.token({ email, groups: ["engineering"], iat: now() - 70 });
    expect(await found(early)).toEqual(["finance"]);
    expect(await foundAnew(late)).toEqual(["legal"]);
    expect(await foundAnew(between)).toEqual(["legal"]);
    expect(await foundAnew(early)).toEqual(["legal"]);
  });

  it("are replaced by a later sign-in; tokens from before it don't bring them back", async () => {
    await issuer.register(acme, { groupsClaim: "groups", groupsMeetDirectory: true });
    const claims = { email: "deniz@acme.example", groups: ["legal"] };
    const before = await issuer.token({ ...claims, iat: now() - 5 });
    const fresh = new ObservedIsolate();
    expect(await found(before)).toEqual(["legal"]);
    await signIn("deniz");
    expect(await foundAnew(before)).toEqual(["engineering"]);
    expect(await outcomeIn(fresh, before)).toEqual([200]);
    expect(await foundAnew(before)).toEqual(["engineering"]);
  });

  it("are dated no later than now, so that a token from a fast clock doesn't block later ones", async () => {
    await issuer.register(acme, { groupsClaim: "groups", groupsMeetDirectory: true });
    const person = { email: "elin@acme.example" };
    expect(await found(await issuer.token({ ...person, groups: ["legal"], iat: now() + 20 }))).toEqual(["legal"]);
    travel(2);
    const next = await issuer.token({ ...person, groups: ["finance"], iat: now() });
    expect(await found(next)).toEqual(["legal"]);
    expect(await foundAnew(next)).toEqual(["finance"]);
  });

  it("are ignored if no administrator named the claim, and kept if a later token lacks the claim", async () => {
    await issuer.register(acme);
    const person = { email: "hana@acme.example" };
    expect(await found(await issuer.token({ ...person, groups: ["finance"] }))).toEqual([]);
    await issuer.register(acme, { groupsClaim: "groups", groupsMeetDirectory: true });
    const named = await issuer.token({ ...person, groups: ["finance"], iat: now() - 9 });
    expect(await foundAnew(named)).toEqual(["finance"]);
    expect(await foundAnew(await issuer.token(person))).toEqual(["finance"]);
    expect(await foundAnew(await issuer.token({ ...person, groups: [] }))).toEqual([]);
  });
});

describe("a decision about external tokens that isolates have cached takes effect", () => {
  let isolate: ObservedIsolate;
  let token: string;

  beforeEach(async () => {
    await issuer.register(acme);
    await (await TestIssuer.publishing("rsa")).register(acme);
    isolate = new ObservedIsolate();
    token = await issuer.token();
    expect(await outcomeIn(isolate, token)).toEqual([200]);
    expect(await outcomeOf(token)).toEqual([200]);
  });

  it("when a person is deactivated or reactivated: at once here, within ten seconds in another isolate", async () => {
    const kept = await issuer.token({ email: "carla@acme.example" });
    expect(await outcomeIn(isolate, kept)).toEqual([200]);
    await setDeactivated(acme, "ben@acme.example");
    expect(await outcomeOf(token)).toEqual([401, "invalid_token"]);
    expect(await outcomeOf(await issuer.token({ jti: "unseen" }))).toEqual([401, "invalid_token"]);
    travel(REACH_SECONDS);
    for (const ended of [await unseen(), token]) {
      expect(await outcomeIn(isolate, ended)).toEqual([401, "invalid_token"]);
    }
    expect(await outcomeIn(isolate, kept)).toEqual([200]);
    await setDeactivated(acme, "ben@acme.example", false);
    travel(REACH_SECONDS);
    for (const back of [await unseen(), token]) expect(await outcomeIn(isolate, back)).toEqual([200]);
  });

  it("within ten seconds when a person is signed out, and lets in tokens issued later", async () => {
    const email = "tara@acme.example";
    expect(await outcomeIn(isolate, await unseen({ email }))).toEqual([200]);
    const before = await unseen({ email });
    await signOut(acme, email, Math.floor(Date.now() / 1000));
    travel(REACH_SECONDS);
    expect(await outcomeIn(isolate, before)).toEqual([401, "invalid_token"]);
    expect(await outcomeIn(isolate, await unseen({ email }))).toEqual([200]);
  });

  it("within ten seconds when a person is signed out twice in a second: tokens from before either of them", async () => {
    const email = "theo@acme.example";
    travel(0);
    const now = Math.floor(Date.now() / 1000) - 1;
    expect(await outcomeIn(isolate, await unseen({ email, iat: now - 5 }))).toEqual([200]);
    await signOut(acme, email, now + 0.2);
    travel(REACH_SECONDS);
    const [early, between, late] = await Promise.all([0.1, 0.5, 0.9].map((part) => unseen({ email, iat: now + part })));
    const outcomes = async () => Promise.all([early, between, late].map((each) => outcomeIn(isolate, each ?? "")));
    expect(await outcomes()).toEqual([[401, "invalid_token"], [200], [200]]);
    await signOut(acme, email, now + 0.8);
    travel(REACH_SECONDS);
    expect(await outcomes()).toEqual([[401, "invalid_token"], [401, "invalid_token"], [200]]);
  });

  it("within ten seconds when a person is released: later tokens create a new person", async () => {
    const email = "rosa@acme.example";
    expect(await outcomeIn(isolate, await unseen({ email }))).toEqual([200]);
    const released = await knownPerson(acme, email);
    await services().administrationOf(acme, "test").people.release(released);
    const before = await unseen({ email });
    travel(REACH_SECONDS);
    expect(await outcomeIn(isolate, before)).toEqual([401, "invalid_token"]);
    expect(await outcomeIn(isolate, await unseen({ email }))).toEqual([200]);
    const another = (await services().people.findByEmail(acme.id, email)) ?? expect.fail();
    expect(another.id).not.toBe(released.id);
  });

  it("an hour after the person was read, if their address has moved outside the issuer's domains", async () => {
    const exp = Math.floor(Date.now() / 1000) + 3 * 3600;
    const email = "sami@acme.example";
    expect(await outcomeIn(isolate, await unseen({ email, exp }))).toEqual([200]);
    await env.DB.prepare("UPDATE people SET email = 'sami@elsewhere.example' WHERE email = ?1").bind(email).run();
    travel(3500);
    const late = await unseen({ email, exp });
    expect(await outcomeIn(isolate, late)).toEqual([200]);
    travel(100);
    for (const refused of [late, await unseen({ email, exp })]) {
      expect(await outcomeIn(isolate, refused)).toEqual([401, "invalid_token"]);
    }
  });

  it.each([
    [
      "disabled",
      () => services().administrationOf(acme, "test").issuers.disable(issuer.url),
      [403, "issuer_not_registered"],
    ],
    [
      "removed",
      () => services().administrationOf(acme, "test").issuers.remove(issuer.url),
      [403, "issuer_not_registered"],
    ],
    ["given other clients", () => edit({ clientIds: ["intranet"] }), [403, "client_not_registered"]],
    ["given other scopes", () => edit({ scopes: ["CHAT"] }), [403, "insufficient_scope"]],
    ["given another audience", () => edit({ audiences: ["api://else"] }), [401, "invalid_token"]],
    ["given other algorithms", () => edit({ algorithms: ["ES256"] }), [401, "invalid_token"]],
    ["given a required claim", () => edit({ requiredClaims: { tid: "x" } }), [401, "invalid_token"]],
    ["told to vouch for emails by another claim", () => edit({ emailVerifiedClaim: "x" }), [401, "invalid_token"]],
    ["given other email domains", () => edit({ emailDomains: ["acme.test"] }), [401, "invalid_token"]],
  ] as const)("within ten seconds in another isolate, if the issuer is %s", async (_what, act, outcome) => {
    await act();
    travel(REACH_SECONDS);
    for (const ended of [await unseen(), token]) expect(await outcomeIn(isolate, ended)).toEqual(outcome);
  });

  it("within ten seconds when the issuer is enabled again", async () => {
    await services().administrationOf(acme, "test").issuers.disable(issuer.url);
    travel(REACH_SECONDS);
    expect((await outcomeIn(isolate, token))[0]).toBe(403);
    await services().administrationOf(acme, "test").issuers.enable(issuer.url);
    travel(REACH_SECONDS);
    expect(await outcomeIn(isolate, token)).toEqual([200]);
  });

  it("when a person is signed out while no issuer is registered, even after it is registered again", async () => {
    const email = "uma@acme.example";
    const [used, before] = [await unseen({ email }), await unseen({ email })];
    expect(await outcomeIn(isolate, used)).toEqual([200]);
    await removeIssuers(acme);
    await signOut(acme, email, Math.floor(Date.now() / 1000));
    travel(REACH_SECONDS);
    await issuer.register(acme);
    travel(REACH_SECONDS);
    for (const ended of [used, before]) expect(await outcomeIn(isolate, ended)).toEqual([401, "invalid_token"]);
    expect(await outcomeIn(isolate, await unseen({ email }))).toEqual([200]);
  });

  it("when a person is signed out while no issuer is registered, even if all happens within one second", async () => {
    const email = "vera@acme.example";
    travel(0);
    const now = Math.floor(Date.now() / 1000);
    await removeIssuers(acme);
    await issuer.register(acme);
    // A new isolate, which reads only this registration and no earlier one.
    const fresh = new ObservedIsolate();
    const used = await unseen({ email });
    expect(await outcomeIn(fresh, used)).toEqual([200]);
    await removeIssuers(acme);
    await signOut(acme, email, now);
    await issuer.register(acme);
    travel(REACH_SECONDS);
    expect(await outcomeIn(fresh, used)).toEqual([401, "invalid_token"]);
  });

  it("when all external tokens are switched off or on", async () => {
    await changeSettings("acme", { externalTokensEnabled: false });
    expect(await outcomeOf(token)).toEqual([403, "oauth_not_enabled"]);
    travel(REACH_SECONDS);
    expect(await outcomeIn(isolate, token)).toEqual([403, "oauth_not_enabled"]);
    await changeSettings("acme", { externalTokensEnabled: true });
    travel(REACH_SECONDS);
    expect(await outcomeIn(isolate, token)).toEqual([200]);
  });

  const services = () => servicesOf(env);
  const unseen = (claims: Record<string, unknown> = {}) => issuer.token({ jti: crypto.randomUUID(), ...claims });
  const edit = (changes: Record<string, unknown>) =>
    services().administrationOf(acme, "test").issuers.edit(issuer.url, changes);
});

describe("an external token that an isolate has verified", () => {
  it("costs no statement and no fetch afterwards", async () => {
    await issuer.register(acme);
    const isolate = new ObservedIsolate();
    const token = await issuer.token();
    expect(await outcomeIn(isolate, token)).toEqual([200]);
    const counts = await issuer.counts();
    isolate.reset();
    for (let call = 0; call < 5; call += 1) expect(await outcomeIn(isolate, token)).toEqual([200]);
    expect(isolate.statements).toBe(0);
    expect(await issuer.counts()).toEqual(counts);
  });

  it("is let in while the database is down; a token of a person who is not cached gets 503", async () => {
    await issuer.register(acme);
    const isolate = new ObservedIsolate();
    const [token, unseen] = [await issuer.token(), await issuer.token({ email: "carla@acme.example" })];
    expect(await outcomeIn(isolate, token)).toEqual([200]);
    isolate.failing = true;
    for (const known of [token, await issuer.token({ jti: "unseen" })]) {
      expect(await outcomeIn(isolate, known)).toEqual([200]);
    }
    expect(await outcomeIn(isolate, unseen)).toEqual([503, "temporarily_unavailable"]);
    expect(await outcomeIn(isolate, `${unseen.slice(0, -8)}AAAAAAAA`)).toEqual([401, "invalid_token"]);
    isolate.failing = false;
    expect(await outcomeIn(isolate, unseen)).toEqual([200]);
  });
});

describe("an external token at /mcp without the header that announces it", () => {
  const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const atMcp = async (token: string, headers = {}) => {
    const response = await postMcp(token, PING, headers);
    return [
      response.status,
      response.status === 200 ? undefined : (await response.json<RpcAnswer>()).error?.data?.["error"],
    ];
  };
  const IN = [200, undefined];
  const UNANNOUNCED = [401, "invalid_secret"];

  it("is no token of an identity provider, unless an administrator says so of its issuer", async () => {
    await issuer.register(acme);
    const token = await issuer.token();
    expect(await atMcp(token, ANNOUNCED)).toEqual(IN);
    expect(await atMcp(token)).toEqual(UNANNOUNCED);
    await issuer.register(acme, { headerOptionalAtMcp: true });
    for (const _ of ["unknown", "remembered"]) expect(await atMcp(token)).toEqual(IN);
    const another = await TestIssuer.publishing("rsa");
    await another.register(acme);
    expect(await atMcp(await another.token())).toEqual(UNANNOUNCED);
    await issuer.register(acme);
    expect(await atMcp(token)).toEqual(UNANNOUNCED);
    expect(await atMcp(token, ANNOUNCED)).toEqual(IN);
  });

  it("stays a service-issued token without its header at the Client API, also if /mcp has just let it in", async () => {
    await issuer.register(acme, { headerOptionalAtMcp: true });
    const token = await issuer.token();
    expect(await atMcp(token)).toEqual(IN);
    expect(await outcomeOf(token, {})).toEqual([401, "invalid_secret"]);
    expect(await outcomeOf(token, ANNOUNCED)).toEqual([200]);
    expect(await outcomeOf(token, {})).toEqual([401, "invalid_secret"]);
    for (const route of ["/rest/api/v1/chat", "/rest/api/v1/getdocuments"]) {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      expect((await send(route, { method: "POST", headers, body: "{}" })).status).toBe(401);
    }
  });

  it.each<[string, Record<string, unknown>, unknown[]]>([
    ["for another service", { aud: "https://graph.microsoft.com" }, [401, "invalid_token"]],
    ["of another application", { azp: "somebody-else" }, [403, "client_not_registered"]],
    ["that has expired", { exp: 1 }, [401, "invalid_token"]],
    ["of an unverified email", { email_verified: false }, [401, "invalid_token"]],
    ["of another domain", { email: "ben@evil.example" }, [401, "invalid_token"]],
    ["of another issuer", { iss: "https://evil.example" }, [401, "invalid_secret"]],
  ])("passes every other check: not one %s", async (_, claims, outcome) => {
    await issuer.register(acme, { headerOptionalAtMcp: true });
    expect(await atMcp(await issuer.token(claims))).toEqual(outcome);
  });

  it("ends as with the header: ten seconds after its person was signed out, the isolate that knew it refuses it", async () => {
    await issuer.register(acme, { headerOptionalAtMcp: true });
    const token = await issuer.token();
    expect(await atMcp(token)).toEqual(IN);
    await signOut(acme, "ben@acme.example", Date.now() / 1000);
    travel(REACH_SECONDS);
    expect(await atMcp(token)).toEqual([401, "invalid_token"]);
  });

  it("needs an audience, and an issuer of access tokens", async () => {
    await expect(issuer.register(acme, { headerOptionalAtMcp: true, audiences: [] })).rejects.toMatchObject({
      member: "audiences",
    });
    const assertions = { headerOptionalAtMcp: true, accepts: "id-jags" };
    await expect(issuer.register(acme, assertions)).rejects.toMatchObject({ member: "headerOptionalAtMcp" });
  });
});
