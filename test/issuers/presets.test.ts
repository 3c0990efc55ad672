import { type IssuerDraft, readConfiguration } from "#issuers/configuration-rules.ts";
import { draftFromPreset, PRESETS, type PresetInputs, PROVIDERS, signInAt, signInNeeds } from "#issuers/presets.ts";
import { describe, expect, it } from "vitest";

const TENANT = "0f1c2d3e-0000-4000-8000-000000000001";
const API = "0f1c2d3e-0000-4000-8000-0000000000a1";
const GIVEN = { clientIds: ["portal"], emailDomains: ["acme.example"], scopes: ["SEARCH"] };
const VOUCHED = { ...GIVEN, emailVouchedBy: "administrator" };

function draft(name: string, inputs: Partial<PresetInputs>, otherwise: IssuerDraft = GIVEN) {
  return draftFromPreset(name, { audiences: [], ...inputs }, otherwise);
}

describe("a preset", () => {
  it.each<[string, string, Partial<PresetInputs>, IssuerDraft, IssuerDraft]>([
    [
      "okta's default server",
      "okta",
      { domain: "acme.okta.com" },
      VOUCHED,
      { issuer: "https://acme.okta.com/oauth2/default", clientIdClaim: "cid", audiences: ["api://default"] },
    ],
    [
      "another server of okta",
      "okta",
      { domain: "login.acme.example", server: "aus1", audiences: ["api://search"] },
      VOUCHED,
      { issuer: "https://login.acme.example/oauth2/aus1", clientIdClaim: "cid", audiences: ["api://search"] },
    ],
    [
      "entra, version 2 (azp)",
      "entra",
      { tenant: TENANT, audiences: [API] },
      GIVEN,
      {
        issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
        clientIdClaim: "azp",
        emailVouchedBy: "token",
        emailVerifiedClaim: "xms_edov",
      },
    ],
    [
      "entra, version 1 (appid)",
      "entra",
      { tenant: TENANT, audiences: [`api://${API}`], tokenVersion: "1" },
      GIVEN,
      {
        issuer: `https://sts.windows.net/${TENANT}/`,
        clientIdClaim: "appid",
        jwksUri: `https://login.microsoftonline.com/${TENANT}/discovery/keys`,
      },
    ],
    [
      "google's ID tokens",
      "google",
      { domain: "acme.example" },
      GIVEN,
      { issuer: "https://accounts.google.com", clientIdClaim: "aud", requiredClaims: { hd: "acme.example" } },
    ],
    [
      "onelogin",
      "onelogin",
      { domain: "acme.onelogin.com", audiences: ["https://search.acme.example"] },
      VOUCHED,
      { issuer: "https://acme.onelogin.com/oidc/2", clientIdClaim: "azp", emailVouchedBy: "administrator" },
    ],
    [
      "auth0",
      "auth0",
      { domain: "acme.eu.auth0.com", audiences: ["https://search.acme.example"], namespace: "https://acme.example/" },
      GIVEN,
      {
        issuer: "https://acme.eu.auth0.com/",
        clientIdClaim: "azp",
        personClaim: "https://acme.example/email",
        emailVerifiedClaim: "https://acme.example/email_verified",
      },
    ],
    [
      "keycloak",
      "keycloak",
      { realm: "https://sso.example/realms/acme/", audiences: ["gatehouse"] },
      GIVEN,
      { issuer: "https://sso.example/realms/acme", clientIdClaim: "azp", audiences: ["gatehouse"] },
    ],
  ])("makes an acceptable configuration: %s", (_name, preset, inputs, otherwise, expected) => {
    const surroundings = { hostPattern: "{instance}-be.example.com", singleSignOnIssuers: [] };
    expect(readConfiguration(draft(preset, inputs, otherwise), surroundings)).toMatchObject(expected);
  });

  it("is overridden by settings that are given explicitly", () => {
    const inputs = { realm: "https://sso.example/realms/acme" };
    expect(draft("keycloak", inputs, { ...GIVEN, name: "Ours", personClaim: "mail" })).toMatchObject({
      name: "Ours",
      personClaim: "mail",
    });
  });

  it.each(PRESETS.map(({ name }) => name))("never assumes that an email is vouched for: %s", (name) => {
    const inputs = {
      domain: "acme.example",
      tenant: TENANT,
      realm: "https://sso.example/realms/acme",
      namespace: "https://acme.example/",
      audiences: [API],
    };
    let made: IssuerDraft = {};
    try {
      made = draft(name, inputs);
    } catch (error) {
      expect(String(error)).toMatch(/email vouched by: administrator/);
    }
    expect(made.emailVouchedBy).toBeUndefined();
  });

  it.each<[string, string, Partial<PresetInputs>, IssuerDraft, RegExp]>([
    ["a preset that is not there", "ping", {}, GIVEN, /no preset ping; there are okta/],
    ["okta without a domain", "okta", {}, VOUCHED, /needs the domain/],
    ["okta with a URL for a domain", "okta", { domain: "https://acme.okta.com" }, VOUCHED, /host name/],
    ["okta with a domain that goes on", "okta", { domain: "acme.okta.com/x" }, VOUCHED, /host name/],
    [
      "okta's own server without an audience",
      "okta",
      { domain: "acme.okta.com", server: "aus1" },
      VOUCHED,
      /needs the audience/,
    ],
    ["okta with emails that nobody vouches for", "okta", { domain: "acme.okta.com" }, GIVEN, /email vouched by/],
    [
      "onelogin with emails that nobody vouches for",
      "onelogin",
      {
        domain: "acme.onelogin.com",
        audiences: ["a"],
      },
      GIVEN,
      /email vouched by/,
    ],
    ["onelogin without an audience", "onelogin", { domain: "acme.onelogin.com" }, VOUCHED, /needs the audience/],
    ["entra without a tenant", "entra", { audiences: [API] }, GIVEN, /needs the tenant/],
    ["entra without an audience", "entra", { tenant: TENANT }, GIVEN, /needs the audience/],
    ["entra, version 2, with a URI", "entra", { tenant: TENANT, audiences: ["api://x"] }, GIVEN, /GUID.*api:\/\/x/],
    ["entra, version 3", "entra", { tenant: TENANT, audiences: [API], tokenVersion: "3" }, GIVEN, /1 or 2/],
    ["google without a domain", "google", {}, GIVEN, /needs the domain/],
    [
      "auth0 without an audience",
      "auth0",
      { domain: "a.auth0.com", namespace: "https://a.example/" },
      GIVEN,
      /needs the audience/,
    ],
    ["auth0 without a namespace", "auth0", { domain: "a.auth0.com", audiences: ["a"] }, GIVEN, /needs the namespace/],
    ["keycloak without a realm", "keycloak", {}, GIVEN, /needs the realm/],
  ])("refuses %s, and says what to give", (_name, preset, inputs, otherwise, why) => {
    expect(() => draft(preset, inputs, otherwise)).toThrow(why);
  });
});

describe("a provider where people sign in", () => {
  const INPUTS: PresetInputs = {
    domain: "login.acme.example",
    tenant: TENANT,
    realm: "https://sso.acme.example/realms/acme/",
    namespace: "https://acme.example/",
    environment: "https://auth.pingone.eu/1f2e/as",
    audiences: [],
  };

  it("decides the issuer and what else is not as usual", () => {
    expect(Object.fromEntries(PROVIDERS.map((provider) => [provider.name, signInAt(provider, INPUTS)]))).toEqual({
      okta: { issuer: "https://login.acme.example", scopes: "openid profile email groups" },
      entra: { issuer: `https://login.microsoftonline.com/${TENANT}/v2.0` },
      google: { issuer: "https://accounts.google.com", requiredClaims: { hd: "login.acme.example" } },
      onelogin: { issuer: "https://login.acme.example/oidc/2", scopes: "openid profile email groups" },
      auth0: { issuer: "https://login.acme.example/", groupsClaim: "https://acme.example/groups" },
      keycloak: { issuer: "https://sso.acme.example/realms/acme" },
      ping: { issuer: "https://auth.pingone.eu/1f2e/as" },
      jumpcloud: { issuer: "https://oauth.id.jumpcloud.com/" },
    });
  });

  it.each(PROVIDERS)("needs every input that it asks for: $name", (provider) => {
    for (const input of Object.keys(signInNeeds(provider))) {
      expect(() => signInAt(provider, { ...INPUTS, [input]: undefined })).toThrow(`needs the ${input}`);
    }
  });
});
