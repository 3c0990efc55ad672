import type { InstanceRecord } from "#instance/instances.ts";
import { D1ServiceTokens } from "#service-tokens/service-tokens.d1.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { outcomeOf } from "../support/external-attacks.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { ANNOUNCED, AUDIENCE, removeIssuers, TestIssuer } from "../support/test-issuer.ts";
import {
  changeSettings,
  issueClientApiToken,
  issueIndexingToken,
  makeInstance,
  send,
  setDeactivated,
  travel,
} from "../support/world.ts";

const PATH = "/admin/token-test";

let acme: InstanceRecord;
let ada: ConsoleBrowser;
let issuer: TestIssuer;

beforeAll(async () => {
  acme = await makeInstance();
  ada = await openConsole(acme);
});

beforeEach(async () => {
  issuer = await TestIssuer.publishing("rsa");
  await issuer.register(acme);
});

afterEach(async () => {
  vi.useRealTimers();
  await removeIssuers(acme);
});

interface Explained {
  readonly outcome: readonly [status: number, code?: string];
  /** The step that fails, if any. */
  readonly failed: string | undefined;
  readonly open: number;
  readonly html: string;
}

/** Returns what the console says about a token. */
async function explain(token: string, announced = true, language = "en"): Promise<Explained> {
  const fields = { token, ...(announced ? { announced: "on" } : {}), route: "POST /rest/api/v1/search" };
  const response = await ada.post(PATH, fields, { "Accept-Language": language });
  const html = await response.text();
  const [, status = "", code] = /<code class="word">(\d{3})(?: (\w+))?<\/code>/.exec(html) ?? [];
  const steps = [...html.matchAll(/<li class="(holds|fails|open)"><strong>(.*?)<\/strong>/g)];
  return {
    outcome: code === undefined ? [Number(status)] : [Number(status), code],
    failed: steps.find(([, outcome]) => outcome === "fails")?.[2],
    open: steps.filter(([, outcome]) => outcome === "open").length,
    html,
  };
}

/** Words that the German facts and refusals never have. */
const ENGLISH = /\b(the|is|must|which|needs|nothing|has|have|it|and|of|by|here)\b/i;

/** Returns what a page in German says in English about a token. */
async function englishAbout(token: string, announced: boolean): Promise<string[]> {
  const { html } = await explain(token, announced, "de");
  const [, said = ""] = /<p role="status">.*?<\/p>(.*?)<\/ol>/s.exec(html) ?? [];
  return said.split(/<[^>]+>/).filter((text) => ENGLISH.test(text));
}

/** Expects that the console predicts the gate's response, and names the step that fails; and no English on a German page. */
async function expectSame(token: string, failed: string | undefined, announced = true): Promise<Explained> {
  const explained = await explain(token, announced);
  expect(explained.outcome).toEqual(await outcomeOf(token, announced ? ANNOUNCED : {}));
  expect(explained.failed).toBe(failed);
  expect(await englishAbout(token, announced)).toEqual([]);
  return explained;
}

function people() {
  return env.DB.prepare("SELECT count(*) AS people, max(directory_read_at) AS readAt FROM people").first();
}

describe("the console's prediction of the gate's response", () => {
  it("is right for a provider's good token", async () => {
    const { html } = await expectSame(await issuer.token(), undefined);
    expect(html).toContain("would be created at first use");
    expect((await explain(await issuer.token())).html).toContain("ben@acme.example is known here");
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["of an application that is not registered", { azp: "stranger" }, "Application"],
    ["for another API", { aud: "api://other" }, "Audience"],
    ["bound to a key", { cnf: { jkt: "x" } }, "Kind of token"],
    ["that tells of an event", { events: {} }, "Kind of token"],
    ["without an expiry", { exp: undefined }, "Times"],
    ["that has expired", { exp: 1_700_000_000 }, "Times"],
    ["of tomorrow", { nbf: Math.floor(Date.now() / 1000) + 86_400 }, "Times"],
    ["without an email", { email: undefined }, "Person"],
    ["with an email that nobody verified", { email_verified: false }, "Person"],
    ["of another issuer", { iss: "https://idp.example" }, "Issuer"],
    ["whose issuer is spelt with a slash", { iss: "https://idp.example/" }, "Issuer"],
    ["whose issuer is no text", { iss: 7 }, "Issuer"],
  ])("is right for a token %s", async (_what, changes, failed) => {
    await expectSame(await issuer.token(changes), failed);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["another algorithm", { alg: "HS256" }, "Algorithm"],
    ["another type", { typ: "logout+jwt" }, "Type"],
    ["no key", { kid: undefined }, "Key"],
    ["a key that nobody published", { kid: "nobody" }, "Key"],
    ["a key of its own", { jwk: { kty: "RSA" } }, "Signature"],
  ])("is right for a token whose header names %s", async (_what, changes, failed) => {
    await expectSame(await (await issuer.forge()).withHeader(changes), failed);
  });

  it("is right for a token whose signature was changed", async () => {
    const [header, payload, signature = ""] = (await issuer.token()).split(".");
    const other = signature.startsWith("A") ? "B" : "A";
    await expectSame(`${header}.${payload}.${other}${signature.slice(1)}`, "Signature");
  });

  it("is right for a token of another organisation of its issuer", async () => {
    await issuer.register(acme, { requiredClaims: { hd: "acme.example" } });
    await expectSame(await issuer.token({ hd: "globex.example" }), "Organisation");
  });

  it("is right for a token of an issuer whose tokens lack the scope", async () => {
    await issuer.register(acme, { scopes: ["CHAT"] });
    await expectSame(await issuer.token(), "Scope of the call");
  });

  it("is right for a person who is deactivated", async () => {
    await setDeactivated(acme, "cleo@acme.example");
    const { html } = await expectSame(await issuer.token({ email: "cleo@acme.example" }), "Person");
    expect(html).toContain("cleo@acme.example is deactivated here");
  });

  it("is right for a released person: allowed with a token issued after the release, refused with one from before", async () => {
    const [email, sub] = ["dana@acme.example", "dana"];
    const now = Math.floor(Date.now() / 1000);
    await expectSame(await issuer.token({ email, sub, iat: now - 60 }), undefined);
    await servicesOf(env)
      .administrationOf(acme, "test")
      .people.release(await knownPerson(acme, email));
    for (const account of [sub, "dana-never-seen"]) {
      const old = await expectSame(await issuer.token({ email, sub: account, iat: now - 60 }), "Person");
      expect(old.html).toContain("dana@acme.example is deactivated here");
    }
    travel(2);
    const { html } = await expectSame(await issuer.token({ email, sub, iat: now + 2 }), undefined);
    expect(html).toContain("would be created at first use");
  });

  it("is right while external tokens are off", async () => {
    await changeSettings(acme.name, { externalTokensEnabled: false });
    await expectSame(await issuer.token(), "Identity providers’ tokens");
    await changeSettings(acme.name, { externalTokensEnabled: true });
  });

  it("is right while the issuer's keys could never be fetched", async () => {
    const down = await TestIssuer.publishing();
    await down.register(acme);
    await expectSame(await down.token(), "Key");
  });

  it("is right for a token that is not announced", async () => {
    const { html } = await expectSame(await issuer.token(), "Form", false);
    expect(html).toContain("add the header X-Gatehouse-Auth-Type: OAUTH");
  });

  it("is right for the instance's own token, announced or not", async () => {
    const { access_token: token } = await (await AppClient.registered()).tokens("ben");
    await expectSame(token, undefined);
    await expectSame(token, undefined, false);
    await changeSettings(acme.name, { oauthEnabled: false });
    await expectSame(token, "OAuth for apps");
    await changeSettings(acme.name, { oauthEnabled: true });
    // In steps, because an unused session would expire in this time too.
    for (let step = 0; step < 6; step += 1) {
      travel(1200);
      await ada.read("/account");
    }
    expect((await explain(token, false)).failed).toBe("Times");
  });

  it("is right for tokens that an administrator issued", async () => {
    await expectSame(await issueClientApiToken(acme, "ben@acme.example", "SEARCH"), undefined, false);
    await expectSame(await issueClientApiToken(acme, "ben@acme.example", "CHAT"), "Scope of the call", false);
    await expectSame(await issueIndexingToken(acme, "documents:wiki"), "Kind of token", false);
    await expectSame(`ghc_${"a".repeat(49)}`, "Known token", false);
  });

  it.each([
    ["opaque", "2YotnFZFEjr1zCsicMWpAA"],
    ["torn", "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0."],
    ["with white space inside", "eyJhbGciOiJSUzI1NiJ9 eyJpc3MiOiJ4In0"],
    ["not ASCII", "tökén"],
  ])("is right for a text that is %s", async (_what, text) => {
    await expectSame(text, "Form");
    await expectSame(text, "Form", false);
  });
});

describe("testing a token in the console", () => {
  it("adds no person, stores no groups, records no use and caches no token", async () => {
    await issuer.register(acme, { groupsClaim: "groups" });
    const before = await people();
    const token = await issuer.token({ email: "new@acme.example", groups: ["staff"] });
    expect((await explain(token)).outcome).toEqual([200]);
    expect(await people()).toEqual(before);

    const secret = await issueClientApiToken(acme, "ben@acme.example", "SEARCH", "DOCUMENTS");
    expect((await explain(secret, false)).outcome).toEqual([200]);
    const unused =
      "SELECT count(*) AS tokens FROM service_tokens WHERE last_used_at IS NULL AND scopes GLOB '*DOCUMENTS*'";
    expect(await env.DB.prepare(unused).first("tokens")).toBe(1);
    const read = vi.spyOn(D1ServiceTokens.prototype, "findByHash");
    await explain(secret, false);
    await send("/rest/api/v1/search", { method: "POST", headers: { Authorization: `Bearer ${secret}` }, body: "{}" });
    expect(read).toHaveBeenCalledTimes(2);
    read.mockRestore();

    const { clientApiGate, policySnapshots } = servicesOf(env);
    const policy = await policySnapshots.of(acme.name, () => undefined);
    if (!policy) throw new Error("no policy");
    const credentials = { announcedAsExternal: true, authTypeHeader: "", address: "", waitUntil: () => undefined };
    const instance = { issuer: ada.origin, policy };
    expect(clientApiGate.recognise(instance, { ...credentials, presented: token })).toBeUndefined();
  });

  it("shows the token's claims without its signature", async () => {
    const token = await issuer.token({ email: "dora@acme.example" });
    const { html } = await explain(token);
    expect(html).toContain(AUDIENCE);
    expect(html).toContain("dora@acme.example");
    const [header = "", payload = "", signature = ""] = token.split(".");
    for (const part of [header, payload, signature]) expect(html).not.toContain(part);
  });

  it("accepts a token after the word Bearer, and one that is nearly 16 KB long", async () => {
    expect((await explain(`  Bearer ${await issuer.token()}\n`)).outcome).toEqual([200]);
    const large = await issuer.token({ padding: "x".repeat(11_000) });
    expect(large.length).toBeGreaterThan(14_000);
    expect((await explain(large)).outcome).toEqual([200]);
  });

  it("logs nothing of the token", async () => {
    const spies = (["log", "info", "warn", "error"] as const).map((name) => vi.spyOn(console, name));
    const token = await issuer.token({ azp: "stranger" });
    await explain(token);
    const said = JSON.stringify(spies.map((spy) => spy.mock.calls));
    for (const part of token.split(".")) expect(said).not.toContain(part);
  });

  it("escapes a token's claims", async () => {
    const { html } = await explain(await issuer.token({ azp: "<script>alert(1)</script>" }));
    expect(html).not.toContain("<script>alert");
    expect(html).toContain("&lt;script&gt;alert(1)");
  });

  it("asks for a token if none is sent", async () => {
    const response = await ada.post(PATH, { token: " ", route: "POST /rest/api/v1/search" });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain("Paste a token");
  });
});
