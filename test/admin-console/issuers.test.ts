import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ConsoleBrowser, errorBeside, fieldOf, openConsole, tickedOf } from "../support/console-browser.ts";
import { outcomeOf } from "../support/external-attacks.ts";
import { env } from "../support/isolate.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { AUDIENCE, CLIENT_ID, removeIssuers, TestIssuer } from "../support/test-issuer.ts";
import { makeInstance } from "../support/world.ts";

const BY_HAND = {
  preset: "other",
  clientIds: CLIENT_ID,
  audiences: AUDIENCE,
  emailDomains: "acme.example",
  algorithms: "RS256",
  personBy: "email",
  personClaim: "email",
  emailVouchedBy: "token",
  emailVerifiedClaim: "email_verified",
  scopes: ["SEARCH", "CHAT"],
};

let acme: InstanceRecord;
let other: InstanceRecord;
let ada: ConsoleBrowser;
let issuer: TestIssuer;

beforeAll(async () => {
  [acme, other] = [await makeInstance(), await makeInstance("other")];
  ada = await openConsole(acme);
});

beforeEach(async () => {
  issuer = await TestIssuer.publishing("rsa");
});

afterEach(async () => {
  for (const instance of [acme, other]) await removeIssuers(instance);
});

async function registered(instance = acme) {
  const issuers = await servicesOf(env).externalIssuers.list(instance.id);
  return issuers.map(({ configuration }) => configuration);
}

async function lastAudit(): Promise<{ actor: string; event: string; detail: string }> {
  const row = await env.DB.prepare(
    "SELECT actor, event, detail FROM audit ORDER BY at DESC, sequence DESC LIMIT 1",
  ).first<{
    actor: string;
    event: string;
    detail: string;
  }>();
  if (!row) throw new Error("the audit is empty");
  return row;
}

/** Returns the page of an issuer to which the response to a form redirects. */
async function followed(response: Response): Promise<string> {
  expect(response.status).toBe(303);
  return ada.read(response.headers.get("Location") ?? "");
}

function pathTo(page: string, url = issuer.url): string {
  return `/admin/issuers/${page}?${new URLSearchParams({ issuer: url }).toString()}`;
}

/** Expects a refusal, and returns the page with the form as it was filled in. */
async function refused(response: Response): Promise<string> {
  expect(response.status).toBe(422);
  return response.text();
}

describe("adding an identity provider in the console", () => {
  it("by hand makes its tokens pass, looks for its keys, and is in the audit with its actor", async () => {
    const page = await followed(
      await ada.post("/admin/issuers/new", { ...BY_HAND, issuer: issuer.url, name: "Our IdP" }),
    );
    expect(page).toContain("Its keys are at");
    expect(page).toContain("1 for RS256");
    expect(await outcomeOf(await issuer.token())).toEqual([200]);
    const [configuration] = await registered();
    expect(configuration).toMatchObject({ issuer: issuer.url, name: "Our IdP", scopes: ["SEARCH", "CHAT"] });
    const person = await env.DB.prepare("SELECT id FROM people WHERE email = 'ada@acme.example'").first("id");
    expect(await lastAudit()).toMatchObject({ actor: person, event: "external_issuer_registered" });
    const list = await ada.read("/admin/issuers");
    expect(list).toContain("Our IdP");
    expect(list).toContain("Search, Chat");
  });

  it("says why its tokens will be refused if its keys are not found", async () => {
    await issuer.set({ keys: [] });
    const page = await followed(await ada.post("/admin/issuers/new", { ...BY_HAND, issuer: issuer.url }));
    expect(page).toMatch(/The keys of .* cannot be fetched now/);
  });

  it.each<[string, Record<string, string>, Record<string, unknown>]>([
    [
      "okta",
      { domain: "acme.okta.com", emailVouchedBy: "administrator" },
      { issuer: "https://acme.okta.com/oauth2/default", emailVouchedBy: "administrator", clientIdClaim: "cid" },
    ],
    [
      "okta",
      { domain: "acme.okta.com", emailVouchedBy: "token", emailVerifiedClaim: "verified" },
      { emailVouchedBy: "token", emailVerifiedClaim: "verified" },
    ],
    ["google", { domain: "acme.example" }, { requiredClaims: { hd: "acme.example" } }],
    [
      "auth0",
      { domain: "acme.eu.auth0.com", audiences: "https://api", namespace: "https://acme.example/" },
      { personClaim: "https://acme.example/email", audiences: ["https://api"] },
    ],
  ])("by the preset %s works with %j", async (preset, fields, expected) => {
    const response = await ada.post("/admin/issuers/new", {
      preset,
      clientIds: "a\r\nb",
      emailDomains: "acme.example",
      scopes: "SEARCH",
      ...fields,
    });
    expect(response.status).toBe(303);
    expect(await registered()).toMatchObject([{ clientIds: ["a", "b"], ...expected }]);
  });

  it("never assumes that email addresses are vouched for: the administrator has to choose", async () => {
    const page = await ada.read("/admin/issuers/new?preset=okta");
    expect(tickedOf(page, "emailVouchedBy")).toEqual([]);
    const fields = {
      preset: "okta",
      domain: "acme.okta.com",
      clientIds: "a",
      emailDomains: "acme.example",
      scopes: "SEARCH",
    };
    const html = await refused(await ada.post("/admin/issuers/new", fields));
    expect(errorBeside(html, "emailVouchedBy")).toMatch(/Choose who confirms/);
    expect(tickedOf(html, "emailVouchedBy")).toEqual([]);
    const claimless = await refused(await ada.post("/admin/issuers/new", { ...fields, emailVouchedBy: "token" }));
    expect(errorBeside(claimless, "emailVerifiedClaim")).toMatch(/Enter the claim/);
    expect(tickedOf(await ada.read("/admin/issuers/new?preset=other"), "emailVouchedBy")).toEqual(["token"]);
    expect(await registered()).toEqual([]);
  });

  it.each<[string, Record<string, string>, string]>([
    ["okta", { domain: "https://acme.okta.com", emailVouchedBy: "administrator" }, "domain"],
    ["okta", { emailVouchedBy: "administrator" }, "domain"],
    ["entra", { tenant: "common", audiences: "x" }, "tenant"],
    ["entra", { tenant: "0f1c2d3e-0000-4000-8000-000000000001" }, "audiences"],
    ["entra", { tenant: "0f1c2d3e-0000-4000-8000-000000000001", audiences: "x", tokenVersion: "3" }, "tokenVersion"],
    ["keycloak", { realm: "http://sso.example/realms/a" }, "realm"],
    ["google", { domain: "acme.example", clientIds: "" }, "clientIds"],
    ["google", { domain: "acme.example", scopes: "" }, "scopes"],
  ])("keeps a refused preset's form filled in, with the message at the field: %s %j", async (preset, fields, wrong) => {
    const sent = { preset, clientIds: "portal", emailDomains: "acme.example", scopes: "SEARCH", ...fields };
    const html = await refused(await ada.post("/admin/issuers/new", sent));
    expect(errorBeside(html, wrong)).toBeDefined();
    for (const [name, value] of Object.entries(fields)) {
      if (name !== "emailVouchedBy" && name !== "scopes") expect(fieldOf(html, name)).toBe(value);
    }
    expect(await registered()).toEqual([]);
  });

  it.each<[Record<string, string | string[]>, string]>([
    [{ issuer: "http://sso.example" }, "issuer"],
    [{ issuer: "https://login.microsoftonline.com/common/v2.0" }, "issuer"],
    [{ clientIds: "" }, "clientIds"],
    [{ algorithms: ["RS256", "HS256"] }, "algorithms"],
    [{ scopes: [] }, "scopes"],
    [{ scopes: "offline_access" }, "scopes"],
    [{ jwksUri: "http://10.0.0.1/" }, "jwksUri"],
    [{ personClaim: "sub" }, "personClaim"],
    [{ personBy: "subject", personClaim: "sub" }, "personBy"],
    [{ requiredClaims: "no-equals-sign" }, "requiredClaims"],
    [{ requiredClaims: "a=1\na=2" }, "requiredClaims"],
    [{ requiredClaims: "iss=x" }, "requiredClaims"],
    [{ name: "x".repeat(81) }, "name"],
  ])("keeps a refused form filled in, with the message at the field: %j", async (fields, wrong) => {
    const sent = { ...BY_HAND, issuer: issuer.url, groupsClaim: "<groups>", ...fields };
    const html = await refused(await ada.post("/admin/issuers/new", sent));
    expect(errorBeside(html, wrong)).toBeDefined();
    expect(fieldOf(html, "groupsClaim")).toBe("<groups>");
    expect(fieldOf(html, "issuer")).toBe(sent.issuer);
    expect(await registered()).toEqual([]);
  });

  it("does not replace one that is already registered", async () => {
    await issuer.register(acme);
    const sent = { ...BY_HAND, issuer: issuer.url, clientIds: "another" };
    expect(errorBeside(await refused(await ada.post("/admin/issuers/new", sent)), "issuer")).toMatch(
      /already registered/,
    );
    expect(await registered()).toMatchObject([{ clientIds: [CLIENT_ID] }]);
  });
});

describe("an identity provider in the console", () => {
  beforeEach(() => issuer.register(acme, { requiredClaims: { hd: "acme.example" }, groupsClaim: "groups" }));

  it("shows all settings, and keeps them if the form is saved unchanged", async () => {
    const settings = { requiredClaims: { hd: "acme.example" }, groupsClaim: "groups", scopesRequired: true };
    await issuer.register(acme, settings);
    const page = await ada.read(pathTo("issuer"));
    expect(fieldOf(page, "requiredClaims")).toBe("hd=acme.example");
    expect(tickedOf(page, "scopesRequired")).toEqual(["on"]);
    expect(tickedOf(page, "scopes")).toEqual(["SEARCH"]);
    const [before] = await registered();
    const same = { ...BY_HAND, issuer: issuer.url, name: "IdP", scopes: "SEARCH", groupsClaim: "groups" };
    const switches = { requiredClaims: "hd=acme.example", scopesRequired: "on" };
    const response = await ada.post("/admin/issuers/issuer", { ...same, ...switches });
    expect(response.status).toBe(303);
    expect(await registered()).toEqual([before]);
  });

  it("can be changed, which takes effect immediately and is in the audit with the values before and after", async () => {
    const token = await issuer.token({ hd: "acme.example" });
    expect(await outcomeOf(token)).toEqual([200]);
    const fields = { ...BY_HAND, issuer: issuer.url, name: "IdP", clientIds: "another" };
    const response = await ada.post("/admin/issuers/issuer", fields);
    // Read before any page of the console, because these reread the policy.
    expect(await outcomeOf(token)).toEqual([403, "client_not_registered"]);
    expect(await followed(response)).toContain("Changes saved");
    const { event, detail } = await lastAudit();
    expect(event).toBe("external_issuer_changed");
    expect(JSON.parse(detail)).toMatchObject({ before: { clientIds: [CLIENT_ID] }, after: { clientIds: ["another"] } });
  });

  it("is unchanged after a refused form, which keeps its empty boxes empty", async () => {
    const html = await refused(
      await ada.post("/admin/issuers/issuer", { issuer: issuer.url, name: "IdP", clientIds: "x" }),
    );
    expect(tickedOf(html, "scopes")).toEqual([]);
    expect(fieldOf(html, "clientIds")).toBe("x");
    expect(await registered()).toMatchObject([{ clientIds: [CLIENT_ID] }]);
  });

  it("can be disabled, after its page says how many applications use it, and enabled again", async () => {
    const token = await issuer.token({ hd: "acme.example" });
    expect(await ada.read(pathTo("disable"))).toContain("1 application");
    await followed(await ada.post("/admin/issuers/disable", { issuer: issuer.url }));
    expect((await outcomeOf(token))[0]).toBe(403);
    await followed(await ada.post("/admin/issuers/enable", { issuer: issuer.url }));
    expect(await outcomeOf(token)).toEqual([200]);
  });

  it("can be removed, after its page says how many applications use it", async () => {
    expect(await ada.read(pathTo("remove"))).toContain("1 application");
    expect(await registered()).toHaveLength(1);
    await followed(await ada.post("/admin/issuers/remove", { issuer: issuer.url }));
    expect(await registered()).toEqual([]);
  });

  it("has warnings if an administrator vouches for addresses, and if any audience is accepted", async () => {
    await issuer.register(acme, { emailVouchedBy: "administrator", audiences: [] });
    const page = await ada.read(pathTo("issuer"));
    expect(page).toContain("vouches for every email address");
    expect(page).toContain("No audience is set");
  });

  it("of another instance is not found", async () => {
    const theirs = await TestIssuer.publishing("rsa");
    await theirs.register(other);
    for (const page of ["issuer", "disable", "remove"]) await expectPage(await ada.get(pathTo(page, theirs.url)), 404);
    for (const page of ["issuer", "disable", "enable", "remove"]) {
      await expectPage(await ada.post(`/admin/issuers/${page}`, { ...BY_HAND, issuer: theirs.url }), 404);
    }
    expect(await registered(other)).toHaveLength(1);
  });
});
