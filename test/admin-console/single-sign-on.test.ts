import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { ConsoleBrowser, errorBeside, fieldOf, openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { connectSso, makeInstance } from "../support/world.ts";

const PATH = "/admin/single-sign-on";
const SECRET = "the secret of periwinkle";

let acme: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  acme = await makeInstance();
  ada = await openConsole(acme);
});

beforeEach(() => connectSso(acme));

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The form's values as they are stored. Without a secret, it keeps the stored one. */
function fields() {
  const { issuer, clientId } = inject("sso");
  return { issuer, clientId, scopes: "openid profile email groups", emailClaim: "email", groupsClaim: "groups" };
}

async function stored() {
  return (await servicesOf(env).instances.require(acme.name)).singleSignOns[0];
}

async function refused(response: Response): Promise<string> {
  expect(response.status).toBe(422);
  return response.text();
}

/** Returns the outcomes of a test's steps, by title. */
async function test(changes: Record<string, string> = {}): Promise<Record<string, string>> {
  const response = await ada.post(`${PATH}/test`, { ...fields(), ...changes });
  expect(response.status).toBe(200);
  const steps = [...(await response.text()).matchAll(/<li class="(ok|failed|warning)"><strong>(.*?)<\/strong>/g)];
  return Object.fromEntries(steps.map(([, outcome = "", title = ""]) => [title, outcome]));
}

/** Simulates an SSO with this metadata, and returns the requests that it gets. */
function stubSso(issuer: string, metadata: Record<string, unknown>, token = { status: 400, error: "invalid_grant" }) {
  const requests: Request[] = [];
  const answer = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    requests.push(request.clone());
    if (request.url.endsWith("/.well-known/openid-configuration")) return Response.json({ issuer, ...metadata });
    if (request.url.endsWith("/jwks")) return Response.json({ keys: [{ kty: "RSA", kid: "a" }] });
    return Response.json({ error: token.error }, { status: token.status });
  };
  vi.stubGlobal("fetch", answer);
  return requests;
}

const GOOD = {
  authorization_endpoint: "https://sso.example/auth",
  token_endpoint: "https://sso.example/token",
  jwks_uri: "https://sso.example/jwks",
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["client_secret_post"],
  scopes_supported: ["openid", "profile", "email", "groups"],
};

describe("the connection to the SSO in the console", () => {
  it("is shown without its secret, with the redirect URI and how many people signed in", async () => {
    const page = await ada.read(PATH);
    expect(page).toContain(`${ada.origin}/oauth/callback`);
    expect(page).toMatch(/[1-9] (person has|people have) so far/);
    expect(fieldOf(page, "issuer")).toBe(inject("sso").issuer);
    expect(fieldOf(page, "clientSecret")).toBe("");
    expect(page).not.toContain(inject("sso").clientSecret);
    expect(page).not.toContain((await stored())?.sealedClientSecret);
  });

  it("keeps the stored secret if none is typed, so people can still sign in", async () => {
    const before = await stored();
    expect((await ada.post(PATH, { ...fields(), groupsClaim: "teams" })).status).toBe(303);
    expect(await stored()).toEqual({ ...before, groupsClaim: "teams" });
    await ConsoleBrowser.signIn("ben", ada.origin);
  });

  it("seals a secret that is typed, and shows it on no page and in no audit entry", async () => {
    const before = await stored();
    const changed = await ada.post(PATH, { ...fields(), clientSecret: SECRET });
    expect(changed.status).toBe(303);
    expect((await stored())?.sealedClientSecret).not.toBe(before?.sealedClientSecret);
    const html = await refused(
      await ada.post(PATH, { ...fields(), issuer: "http://sso.example", clientSecret: SECRET }),
    );
    expect(html).not.toContain("periwinkle");
    expect(html).toContain("enter it again");
    const audit = JSON.stringify((await env.DB.prepare("SELECT * FROM audit").all()).results);
    expect(audit).toContain("isSecretNew");
    expect(audit).not.toContain("periwinkle");
    expect(audit).not.toContain(before?.sealedClientSecret);
  });

  it.each([
    ["issuer", { issuer: "https://sso.example" }],
    ["client", { clientId: "another" }],
  ])("never sends the stored secret to another %s", async (_what, changes) => {
    const before = await stored();
    const requests = stubSso("https://sso.example", GOOD);
    for (const path of [PATH, `${PATH}/test`]) {
      const html = await refused(await ada.post(path, { ...fields(), ...changes, confirmed: "on" }));
      expect(errorBeside(html, "clientSecret")).toMatch(/Enter the client secret/);
    }
    expect(requests).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  it("needs a confirmation for another issuer, and says how many people will be new", async () => {
    const sent = { ...fields(), issuer: "https://sso.example", clientSecret: SECRET };
    const html = await refused(await ada.post(PATH, sent));
    const tied = "SELECT count(*) AS people FROM people WHERE instance_id = ?1 AND sso_issuer = ?2";
    const people = await env.DB.prepare(tied).bind(acme.id, inject("sso").issuer).first<number>("people");
    expect(people).toBeGreaterThan(0);
    expect(html).toMatch(new RegExp(`${people} (person has|people have) signed in at the old issuer`));
    expect(errorBeside(html, "confirmed")).toBeDefined();
    expect((await stored())?.issuer).toBe(inject("sso").issuer);
    expect((await ada.post(PATH, { ...sent, confirmed: "on" })).status).toBe(303);
    expect((await stored())?.issuer).toBe("https://sso.example");
    const detail = await env.DB.prepare(
      "SELECT detail FROM audit ORDER BY at DESC, sequence DESC LIMIT 1",
    ).first<string>("detail");
    expect(JSON.parse(detail ?? "")).toMatchObject({
      before: { issuer: inject("sso").issuer },
      after: { issuer: "https://sso.example" },
    });
  });

  it.each<[Record<string, string>, string]>([
    [{ issuer: "http://sso.example" }, "issuer"],
    [{ issuer: "https://login.microsoftonline.com/common/v2.0" }, "issuer"],
    [{ issuer: "https://accounts.google.com" }, "issuer"],
    [{ clientId: "" }, "clientId"],
    [{ scopes: "profile email" }, "scopes"],
    [{ requiredClaims: "hd" }, "requiredClaims"],
    [{ clientAuthentication: "none" }, "clientAuthentication"],
  ])("keeps a refused form filled in, with the message at the field: %j", async (changes, wrong) => {
    const before = await stored();
    const html = await refused(await ada.post(PATH, { ...fields(), groupsClaim: "<teams>", ...changes }));
    expect(errorBeside(html, wrong)).toBeDefined();
    expect(fieldOf(html, "groupsClaim")).toBe("<teams>");
    expect(await stored()).toEqual(before);
  });
});

describe("testing the connection to the SSO (OpenID Connect Discovery §4)", () => {
  it("finds a good connection OK, including its secret, and saves nothing", async () => {
    const before = await stored();
    expect(await test()).toMatchObject({
      "Discovery document": "ok",
      Issuer: "ok",
      "Code flow": "ok",
      "PKCE with S256": "ok",
      "Client authentication": "ok",
      Keys: "ok",
      "Client id and secret": "ok",
    });
    expect(await stored()).toEqual(before);
  });

  it("finds a wrong secret", async () => {
    expect(await test({ clientSecret: SECRET })).toMatchObject({ "Client id and secret": "failed" });
  });

  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ["another issuer", { issuer: "https://sso.example/" }, { Issuer: "failed" }],
    ["no token endpoint", { token_endpoint: undefined }, { "Code flow": "failed" }],
    ["no code flow", { response_types_supported: ["id_token"] }, { "Code flow": "failed" }],
    ["plain PKCE", { code_challenge_methods_supported: ["plain"] }, { "PKCE with S256": "failed" }],
    ["nothing about PKCE", { code_challenge_methods_supported: undefined }, { "PKCE with S256": "warning" }],
    [
      "another client authentication",
      { token_endpoint_auth_methods_supported: ["private_key_jwt"] },
      { "Client authentication": "failed" },
    ],
    ["no keys", { jwks_uri: undefined }, { Keys: "failed" }],
    ["other scopes", { scopes_supported: ["openid"] }, { Scopes: "warning" }],
  ])("finds %s", async (_what, metadata, expected) => {
    stubSso("https://sso.example", { ...GOOD, ...metadata });
    expect(await test({ issuer: "https://sso.example", clientSecret: SECRET })).toMatchObject(expected);
  });

  it("survives values of wrong types in the metadata, which count as unsupported", async () => {
    const poison = [{ toString: 1, valueOf: 1 }, null, [[]], "x".repeat(10_000)];
    const lists = ["response_types", "code_challenge_methods", "token_endpoint_auth_methods", "scopes"];
    const metadata = Object.fromEntries(lists.map((list) => [`${list}_supported`, poison]));
    stubSso("https://sso.example", { ...GOOD, ...metadata, jwks_uri: poison, token_endpoint: poison });
    expect(await test({ issuer: "https://sso.example", clientSecret: SECRET })).toMatchObject({
      "Code flow": "failed",
    });
    stubSso("https://sso.example", { ...GOOD, ...metadata });
    expect(await test({ issuer: "https://sso.example", clientSecret: SECRET })).toMatchObject({
      "Code flow": "failed",
      "PKCE with S256": "failed",
      "Client authentication": "failed",
      Scopes: "warning",
    });
  });

  it("finds an SSO that does not respond", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new Error("down")));
    expect(await test({ issuer: "https://sso.example", clientSecret: SECRET })).toEqual({
      "Discovery document": "failed",
    });
  });

  it("sends no request to an internal address", async () => {
    const requests = stubSso("https://10.0.0.1", GOOD);
    expect(await test({ issuer: "https://10.0.0.1", clientSecret: SECRET })).toEqual({
      "Discovery document": "failed",
    });
    expect(requests).toEqual([]);
  });

  it("needs a secret if no connection is stored yet", async () => {
    await connectSso(acme);
    await env.DB.prepare("UPDATE instances SET single_sign_on = NULL WHERE id = ?1").bind(acme.id).run();
    expect(await ada.read(PATH)).toContain("nobody can sign in");
    expect(errorBeside(await refused(await ada.post(PATH, fields())), "clientSecret")).toBeDefined();
  });
});

describe("the SSO's authorization endpoint (OpenID Connect Discovery §3)", () => {
  it.each(["javascript:alert(1)", "file:///etc", "/auth", "", 7, { toString: 1 }])(
    "must be a web address; otherwise a page says that the SSO is unavailable: %j",
    async (endpoint) => {
      const issuer = `https://${crypto.randomUUID()}.example`;
      expect((await ada.post(PATH, { ...fields(), issuer, clientSecret: SECRET, confirmed: "on" })).status).toBe(303);
      stubSso(issuer, { ...GOOD, authorization_endpoint: endpoint });
      const page = await new ConsoleBrowser(ada.origin).beginSignIn("/account");
      expect(page.status).toBe(503);
      expect(page.headers.get("Location")).toBeNull();
    },
  );
});

describe("another single sign-on in the console", () => {
  const ISSUER = "https://another-sso.example";
  const ADD = `${PATH}/add`;
  const another = { clientId: "gatehouse", clientSecret: SECRET, scopes: "openid", several: "on", adding: "on" };
  const order = { ...another, issuer: ISSUER, emailDomains: "another.example", label: "Another" };
  let bea: ConsoleBrowser;
  let ben: InstanceRecord;

  beforeAll(async () => {
    ben = await makeInstance("several");
    bea = await openConsole(ben);
  });

  const all = async () => (await servicesOf(env).instances.require("several")).singleSignOns;

  it("is offered by the page of the only one, with its own redirect URI", async () => {
    const page = await bea.read(PATH);
    expect(page).toContain("Add another single sign-on");
    expect(page).not.toContain("Remove this single sign-on");
    expect(fieldOf(page, "label")).toBeUndefined();
    expect(await bea.read(`${ADD}?preset=other`)).toContain(`${bea.origin}/oauth/callback/2`);
  });

  it("needs the domains of the first, and is told apart by its own", async () => {
    expect(errorBeside(await refused(await bea.post(ADD, order)), "emailDomains")).toMatch(/First enter the email/);
    expect((await bea.post(PATH, { ...fields(), emailDomains: "acme.example" })).status).toBe(303);
    const taken = await refused(await bea.post(ADD, { ...order, emailDomains: "Acme.example" }));
    expect(errorBeside(taken, "emailDomains")).toMatch(/already sign in with/);
    const same = await refused(await bea.post(ADD, { ...order, issuer: inject("sso").issuer }));
    expect(errorBeside(same, "issuer")).toMatch(/already connected/);
    expect(await all()).toHaveLength(1);
    const added = await bea.post(ADD, order);
    expect(added.headers.get("Location")).toContain(`${PATH}?done=added`);
    expect((await all())[1]).toMatchObject({ issuer: ISSUER, label: "Another", groupsMeetDirectory: false });
  });

  it("of a known provider asks only for what the provider needs, and takes the rest from it", async () => {
    expect(await bea.read(ADD)).toContain(`href="${ADD}?preset=okta"`);
    const page = await bea.read(`${ADD}?preset=okta`);
    expect(["domain", "clientId", "issuer", "scopes"].map((name) => fieldOf(page, name) !== undefined)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const chosen = { ...another, scopes: "", preset: "okta", emailDomains: "okta.example" };
    const wrong = await refused(await bea.post(ADD, { ...chosen, domain: "https://acme.okta.com" }));
    expect(errorBeside(wrong, "domain")).toMatch(/host name/);
    expect((await bea.post(ADD, { ...chosen, domain: "acme.okta.com" })).status).toBe(303);
    const [, , added] = await all();
    expect(added).toMatchObject({ issuer: "https://acme.okta.com", scopes: "openid profile email groups" });
    expect((await bea.post(`${PATH}/remove`, { issuer: "https://acme.okta.com", confirmed: "yes" })).status).toBe(303);
  });

  it("has a page of its own, behind a list", async () => {
    const list = await bea.read(PATH);
    expect(list).toContain("another.example");
    const page = await bea.read(`${PATH}?issuer=${encodeURIComponent(ISSUER)}`);
    expect(fieldOf(page, "label")).toBe("Another");
    expect(page).toContain("/oauth/callback/2");
    const changed = { ...order, clientSecret: "", label: "Renamed", groupsMeetDirectory: "on" };
    expect((await bea.post(PATH, changed)).status).toBe(303);
    expect((await all())[1]).toMatchObject({ label: "Renamed", groupsMeetDirectory: true });
    expect((await bea.get(`${PATH}?issuer=https://nobody.example`)).status).toBe(404);
  });

  it("shows in the list of people where each of them signs in, which the only one need not", async () => {
    const { host } = new URL(inject("sso").issuer);
    expect(await bea.read("/admin/people")).toContain(`<span class="quiet">${host}</span>`);
    expect(await ada.read("/admin/people")).not.toContain(host);
  });

  it("is removed after a question, but never the last owner's way in", async () => {
    const remove = (issuer: string) => bea.post(`${PATH}/remove`, { issuer, confirmed: "yes" });
    expect((await remove(inject("sso").issuer)).status).toBe(400);
    expect(await bea.read(`${PATH}/remove?issuer=${encodeURIComponent(ISSUER)}`)).toContain("Remove “Renamed”?");
    expect((await remove(ISSUER)).status).toBe(303);
    expect(await all()).toMatchObject([{ issuer: inject("sso").issuer }]);
    expect(await bea.read(PATH)).toContain("Add another single sign-on");
  });
});
