import { servicesOf } from "#services.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ACTS, type ActName } from "#administration/act-table.ts";
import { authorityOfRole } from "#administration/authority.ts";
import { CONSOLE_FORMS, steppedUpFormAt } from "#admin-console/console-paths-endpoint.ts";
import { AppClient } from "../support/app-client.ts";
import { ConsoleBrowser, fieldOf, openConsole, originOf, setRole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { signInAtSso } from "../support/sso-sign-in.ts";
import { knownPerson } from "../support/people.ts";
import { changeSettings, makeInstance, setDeactivated, travel } from "../support/world.ts";

const FRESH_SECONDS = 10 * 60;
const SECOND_FACTOR = "urn:local-sso:second-factor";

let instance: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  instance = await makeInstance();
});

beforeEach(async () => {
  ada = await openConsole(instance);
});

afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("acme", { stepUp: true, stepUpAcrValues: [] });
});

/** Sends a form too long after the sign-in, and returns the SSO's URL to which the response leads. */
async function askedToStepUp(path: string, fields: Readonly<Record<string, string | string[]>>): Promise<URL> {
  travel(FRESH_SECONDS + 1);
  const response = await ada.post(path, fields);
  vi.useRealTimers();
  return linkToSso(response);
}

async function linkToSso(response: Response): Promise<URL> {
  expect(response.status).toBe(403);
  const html = await response.text();
  return new URL(/<a class="button primary" href="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "");
}

function comeBack(browser: ConsoleBrowser, callback: URL): Promise<Response> {
  return browser.get(callback.pathname + callback.search);
}

function tokens(): Promise<unknown> {
  return env.DB.prepare("SELECT count(*) AS n FROM service_tokens").first("n");
}

const TOKEN = {
  purpose: "person",
  name: "Ben’s report & more",
  person: "ben@acme.example",
  newPerson: "ben@acme.example",
  scopes: ["SEARCH"],
  lifetime: "30",
};

describe("a decision that cannot be undone (ASVS 5.0 §6.8.4, §7.5.3)", () => {
  it("needs a new sign-in if the session was left open", async () => {
    const before = await tokens();
    const ssoUrl = await askedToStepUp("/admin/tokens/new", TOKEN);
    expect(ssoUrl.searchParams.get("max_age")).toBe("300");
    expect(ssoUrl.searchParams.get("acr_values")).toBeNull();
    expect(await tokens()).toBe(before);
  });

  it("comes back with everything that was typed and a valid token, and takes one more click", async () => {
    const before = Number(await tokens());
    const session = ada.session;
    const oldToken = await ada.csrfToken();
    const ssoUrl = await askedToStepUp("/admin/tokens/new", TOKEN);
    const page = await comeBack(ada, await signInAtSso(ssoUrl, "ada"));
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('action="/admin/tokens/new"');
    for (const [name, value] of Object.entries(TOKEN)) expect(fieldOf(html, name)).toBe([value].flat()[0]);
    const fresh = fieldOf(html, "csrf_token") ?? "";
    expect(fresh).not.toBe(oldToken);
    expect(ada.session).not.toBe(session);
    expect(await tokens()).toBe(before);
    expect((await ada.postRaw("/admin/tokens/new", { ...TOKEN, csrf_token: fresh })).status).toBe(200);
    expect(await tokens()).toBe(before + 1);
  });

  it("is made immediately after a recent sign-in", async () => {
    travel(FRESH_SECONDS - 60);
    expect((await ada.post("/admin/settings/end-grants", { name: "acme" })).status).toBe(303);
  });

  const forms = Object.entries(CONSOLE_FORMS).map(([path, { act }]) => {
    const address = `/admin${path.replace(/:\w+/g, "any")}`;
    return { path, act, address, steppedUp: steppedUpFormAt(address) };
  });
  const lasting = Object.entries(ACTS).flatMap(([act, { anySignIn }]) => (anySignIn === undefined ? [act] : []));

  /** The fields with which a form needs a fresh sign-in, if not all that are sent to its address do. */
  const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "/metadata/groups/:group/schema": { dropped: "owner" },
    "/keys/rotate": { reason: "compromised" },
    "/people/:id/role": { role: "auditor" },
  };

  it.each(lasting)("needs a new sign-in by every form of its act: %s", async (act) => {
    for (const { path, address, steppedUp } of forms.filter((form) => form.act === act)) {
      if (steppedUp) await askedToStepUp(address, FIELDS[path] ?? {});
      else expect(CONSOLE_FORMS[path]?.anySignIn).toBeDefined();
    }
  });

  it("needs a new sign-in by default: only these forms say why not, and only these acts have no form", () => {
    const pathsOf = (some: typeof forms) => some.map(({ path }) => path).toSorted();
    expect(pathsOf(forms.filter(({ path }) => CONSOLE_FORMS[path]?.anySignIn))).toEqual([
      "/audit/receiver/deliver",
      "/oauth/disable",
      "/settings/refuse-external-tokens",
      "/single-sign-on/test",
    ]);
    expect(pathsOf(forms.filter(({ steppedUp }) => steppedUp?.when))).toEqual(Object.keys(FIELDS).toSorted());
    expect(lasting.filter((act) => !forms.some((form) => form.act === act))).toEqual([
      "content.eraseRemoved",
      "documents.restorePlacement",
      "documents.rewind",
      "issuers.register",
    ]);
  });

  it("is every act, except those that end access or give none", () => {
    const others = Object.entries(ACTS).filter(([, { anySignIn }]) => anySignIn !== undefined);
    expect(others.map(([act]) => act)).toEqual([
      "clients.deny",
      "clients.disable",
      "content.discardHeld",
      "documents.cancelMove",
      "glossary.replace",
      "grants.revoke",
      "issuers.disable",
      "logos.put",
      "logos.remove",
      "metadata.create",
      "people.removeRole",
      "people.deactivate",
      "people.deactivateEmail",
      "serviceAccounts.disable",
      "serviceTokens.revoke",
      "sessions.endAll",
    ]);
  });

  it("can't be made by a form of another act, for which nobody was asked", async () => {
    const { administrationOf, administrationWithin } = servicesOf(env);
    const owner = { instance, actor: "x", authority: authorityOfRole("owner") };
    const within = (form: ActName) => administrationWithin(owner, (act) => act === form);
    await ConsoleBrowser.signIn("ben");
    const ben = await knownPerson(instance, "ben@acme.example");
    await expect(within("people.deactivate").people.reactivate(ben)).rejects.toThrow("fresh sign-in");
    await within("people.reactivate").people.deactivate(ben);
    await administrationOf(instance, "x").people.reactivate(ben);
  });

  it.each([
    ["/admin/audit/receiver", { auditReceiver: "https://collector.evil.example/in" }],
    ["/admin/settings", { displayName: "Acme", auditKeptSeconds: "30", searchLanguages: "en" }],
    ["/admin/clients/new", { kind: "public", name: "Mail", redirectUris: "https://evil.example/cb" }],
    ["/admin/registration", { registration: "open" }],
  ])("is not made in a session that somebody left open or stole: %s with %j", async (path, fields) => {
    await askedToStepUp(path, fields);
  });

  it.each([
    ["/admin/clients/new", { kind: "confidential" }],
    ["/admin/clients/new", { kind: "keys" }],
    ["/admin/clients/app", { redirectUris: "https://other.example/callback" }],
    ["/admin/people/any/release", {}],
    ["/admin/people/any/role", { role: "auditor" }],
    ["/admin/service-accounts/any/delete", {}],
    ["/admin/keys/rotate", { reason: "compromised" }],
    ["/admin/metadata/groups/any/schema", { dropped: "owner" }],
  ])("needs a new sign-in: %s with %j", async (path, fields) => {
    await askedToStepUp(path, fields);
  });

  it("is none of those that end access, so that nothing delays these in an emergency", async () => {
    const { clientId: id } = await AppClient.registered({ client_name: "Leaking app" });
    await ConsoleBrowser.signIn("ben");
    const ben = await knownPerson(instance, "ben@acme.example");
    travel(FRESH_SECONDS + 1);
    expect((await ada.post(`/admin/people/${ben.id}/deactivate`)).status).toBe(303);
    expect((await ada.post("/admin/clients/disable", { id })).status).toBe(303);
    vi.useRealTimers();
    await setDeactivated(instance, "ben@acme.example", false);
  });

  it("stores no secret: a form with one has to be filled in again", async () => {
    const ssoUrl = await askedToStepUp("/admin/single-sign-on", {
      issuer: "https://x.example",
      clientSecret: "s3cr3t",
    });
    const back = await comeBack(ada, await signInAtSso(ssoUrl, "ada"));
    expect(back.headers.get("Location")).toBe("/admin/single-sign-on");
    expect((await ada.get("/admin/single-sign-on")).status).toBe(200);
  });

  it("needs no new sign-in if the setting is off", async () => {
    await changeSettings("acme", { stepUp: false });
    travel(FRESH_SECONDS + 1);
    expect((await ada.post("/admin/settings/end-grants", { name: "acme" })).status).toBe(303);
  });
});

describe("a step-up", () => {
  it("is bound to its session: in another browser or as somebody else, it proves nothing", async () => {
    await setRole(instance, "elin@acme.example");
    const elin = await ConsoleBrowser.signIn("elin");
    const ssoUrl = await askedToStepUp("/admin/tokens/new", TOKEN);
    const callback = await signInAtSso(ssoUrl, "ada");
    const stolen = elin.session;
    await expectPage(await comeBack(elin, callback), 400);
    await expectPage(await comeBack(new ConsoleBrowser(originOf(instance)), callback), 400);
    expect(elin.session).toBe(stolen);
    await expectPage(await comeBack(ada, await signInAtSso(ssoUrl, "elin")), 403);
  });

  it("is refused if the SSO accepts an old sign-in, whatever it was asked for", async () => {
    const ssoUrl = await askedToStepUp("/admin/tokens/new", TOKEN);
    const callback = await signInAtSso(ssoUrl, "ada");
    travel(6 * 60);
    await expectPage(await comeBack(ada, callback), 403);
  });

  it("asks for the authentication in the settings, and accepts it if the SSO confirms it", async () => {
    await changeSettings("acme", { stepUpAcrValues: [SECOND_FACTOR] });
    const ssoUrl = await linkToSso(await (await openConsole(instance)).post("/admin/tokens/new", TOKEN));
    expect(ssoUrl.searchParams.get("acr_values")).toBe(SECOND_FACTOR);
    ada = await openConsole(instance);
    const own = await linkToSso(await ada.post("/admin/tokens/new", TOKEN));
    expect((await comeBack(ada, await signInAtSso(own, "ada"))).status).toBe(200);
  });

  it("is refused if the SSO's acr is not one of the settings", async () => {
    await changeSettings("acme", { stepUpAcrValues: [SECOND_FACTOR] });
    ada = await openConsole(instance);
    const ssoUrl = await linkToSso(await ada.post("/admin/tokens/new", TOKEN));
    ssoUrl.searchParams.delete("acr_values");
    await expectPage(await comeBack(ada, await signInAtSso(ssoUrl, "ada")), 403);
  });

  it("can be used once, and its form is stored sealed", async () => {
    const ssoUrl = await askedToStepUp("/admin/tokens/new", TOKEN);
    const stored = JSON.stringify((await env.DB.prepare("SELECT * FROM session_sign_ins").all()).results);
    expect(stored).not.toContain("report");
    const callback = await signInAtSso(ssoUrl, "ada");
    expect((await comeBack(ada, callback)).status).toBe(200);
    await expectPage(await comeBack(ada, callback), 400);
  });

  it("has a limit for a form's size, and of twenty forms for a person, because anybody who is signed in may send them", async () => {
    const carla = await ConsoleBrowser.signIn("carla");
    travel(FRESH_SECONDS + 1);
    const endSessions = (fields: Readonly<Record<string, string>>, query = "") =>
      carla.post(`/account/end-sessions${query}`, fields);
    const first = await endSessions({ note: "x".repeat(17_000) });
    expect(await first.text()).toContain("fill in the form again");
    expect((await endSessions({}, `?q=${"x".repeat(17_000)}`)).status).toBe(403);
    const last: Response[] = [];
    for (let forms = 0; forms < 21; forms += 1) {
      travel(1);
      last.push(await endSessions({ note: "x".repeat(10_000) }));
    }
    const stored = env.DB.prepare(
      "SELECT max(length(coalesce(sealed_form, '')) + length(return_to)) AS most, count(*) AS n FROM session_sign_ins WHERE person_id = ?1",
    ).bind((await knownPerson(instance, "carla@acme.example")).id);
    const { most, n } = (await stored.first<{ most: number; n: number }>()) ?? { most: Infinity, n: Infinity };
    expect([n, most < 24_000]).toEqual([20, true]);
    vi.useRealTimers();
    const [dropped, ...kept] = await Promise.all(last.map(linkToSso));
    const back = async (ssoUrl: URL | undefined) =>
      (await comeBack(carla, await signInAtSso(ssoUrl ?? new URL("none:"), "carla"))).status;
    expect(await back(dropped)).toBe(400);
    expect(await back(kept[0])).toBe(200);
  });

  it("is refused for a person who was deactivated meanwhile", async () => {
    const ssoUrl = await askedToStepUp("/admin/tokens/new", TOKEN);
    await setDeactivated(instance, "ada@acme.example");
    await expectPage(await comeBack(ada, await signInAtSso(ssoUrl, "ada")), 403);
    await servicesOf(env)
      .administrationOf(instance, "test")
      .people.reactivate(await knownPerson(instance, "ada@acme.example"));
  });
});
