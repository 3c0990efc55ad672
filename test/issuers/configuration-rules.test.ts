import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type IssuerDraft, readConfiguration } from "#issuers/configuration-rules.ts";
import { describe, expect, it } from "vitest";

const TENANT = "0f1c2d3e-0000-4000-8000-000000000001";
const API = "0f1c2d3e-0000-4000-8000-0000000000a1";

/** A configuration without any problem. */
const PLAIN = {
  issuer: "https://sso.example/realms/acme",
  name: "SSO",
  clientIds: ["portal"],
  emailDomains: ["acme.example"],
  scopes: ["SEARCH"],
};

const ENTRA = {
  ...PLAIN,
  issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
  audiences: [API],
  emailVerifiedClaim: "xms_edov",
};
const ENTRA_V1 = {
  ...ENTRA,
  issuer: `https://sts.windows.net/${TENANT}/`,
  jwksUri: `https://login.microsoftonline.com/${TENANT}/discovery/keys`,
};
const GOOGLE = { ...PLAIN, issuer: "https://accounts.google.com", requiredClaims: { hd: "acme.example" } };
const OKTA = { ...PLAIN, issuer: "https://acme.okta.com/oauth2/default" };
const AUTH0 = { ...PLAIN, issuer: "https://acme.eu.auth0.com/", audiences: ["https://search.acme.example"] };
const SUBJECT = { ...PLAIN, personBy: "subject", personClaim: "sub" };

/** Returns the configuration, or why it is refused. */
function read(draft: IssuerDraft, singleSignOnIssuers = [PLAIN.issuer]) {
  try {
    return readConfiguration(draft, { hostPattern: "{instance}-be.example.com", singleSignOnIssuers });
  } catch (error) {
    if (error instanceof AdministrationRefused && error.member !== undefined) return error.message;
    throw error;
  }
}

describe("an external issuer's configuration", () => {
  it("has careful defaults: RS256, and a person by an email that the token itself calls verified", () => {
    expect(read(PLAIN)).toEqual({
      ...PLAIN,
      accepts: "access-tokens",
      audiences: [],
      algorithms: ["RS256"],
      personBy: "email",
      personClaim: "email",
      emailVouchedBy: "token",
      emailVerifiedClaim: "email_verified",
      groupsMeetDirectory: false,
      requiredClaims: {},
      scopesRequired: false,
      headerOptionalAtMcp: false,
      tokenLifetimeSecondsMax: 86_400,
    });
  });

  it("has to meet a vendor's rules for access tokens only if these are accepted", () => {
    const org = { ...OKTA, issuer: "https://acme.okta.com" };
    expect(read(org)).toMatch(/custom one/);
    expect(read({ ...org, accepts: "both" })).toMatch(/custom one/);
    expect(read({ ...org, accepts: "id-jags" })).toMatchObject({ accepts: "id-jags", issuer: org.issuer });
    expect(read({ ...PLAIN, accepts: "everything" })).toMatch(/access-tokens, id-jags, both/);
  });

  it("has to name email domains if people are known by email", () => {
    expect(read({ ...PLAIN, emailDomains: [] })).toMatch(/email domains/);
    for (const domain of ["acme", "a b.example", "", "*", "acme.example@evil.example"]) {
      expect(read({ ...PLAIN, emailDomains: [domain] })).toMatch(/domain/);
    }
    expect(read({ ...PLAIN, emailDomains: ["@ACME.example", "acme.example"] })).toMatchObject({
      emailDomains: ["acme.example"],
    });
  });

  it("keeps no duplicates", () => {
    const twice = { ...PLAIN, clientIds: ["a", "a", "b"], audiences: ["x", "x"], scopes: ["CHAT", "CHAT"] };
    expect(read(twice)).toMatchObject({ clientIds: ["a", "b"], audiences: ["x"], scopes: ["CHAT"] });
  });

  it.each<[string, IssuerDraft]>([
    ["an issuer on the machine itself", { ...PLAIN, issuer: "http://127.0.0.1:4400" }],
    [
      "an issuer on the machine itself with keys there",
      {
        ...PLAIN,
        issuer: "http://localhost:4400/",
        jwksUri: "http://localhost:4400/jwks",
      },
    ],
    ["an issuer with a slash at the end", { ...PLAIN, issuer: "https://sso.example/" }],
    ["a subject of the instance's own SSO", SUBJECT],
    ["an email that the administrator vouches for", { ...PLAIN, emailVouchedBy: "administrator" }],
    ["an email in a claim with a name of its own", { ...PLAIN, personClaim: "https://acme.example/email" }],
    ["keys with a query", { ...PLAIN, jwksUri: "https://keys.sso.example/jwks?appid=1" }],
    ["Entra, version 2", ENTRA],
    ["Entra, version 1", ENTRA_V1],
    [
      "Entra with addresses that the administrator vouches for",
      {
        ...ENTRA,
        emailVerifiedClaim: undefined,
        emailVouchedBy: "administrator",
      },
    ],
    ["Google with a domain", GOOGLE],
    ["a custom authorization server of Okta", OKTA],
    ["Auth0 with an API", AUTH0],
    [
      "GitLab with a claim that only the organisation has",
      {
        ...PLAIN,
        issuer: "https://gitlab.com",
        requiredClaims: { namespace_id: "4711" },
      },
    ],
  ])("is accepted with %s", (_name, draft) => {
    expect(read(draft)).not.toBeTypeOf("string");
  });

  it.each<[string, IssuerDraft, RegExp]>([
    // The issuer
    ["no issuer", { ...PLAIN, issuer: undefined }, /issuer must be an https URL/],
    ["an issuer that is no URL", { ...PLAIN, issuer: "sso.example" }, /https URL/],
    ["an issuer over plain http", { ...PLAIN, issuer: "http://sso.example" }, /https URL/],
    ["an issuer that only begins like loopback", { ...PLAIN, issuer: "http://localhost.sso.example/" }, /https URL/],
    ["an issuer with a name and a password", { ...PLAIN, issuer: "https://a:b@sso.example" }, /https URL/],
    ["an issuer that is a script", { ...PLAIN, issuer: "javascript:alert(1)" }, /https URL/],
    ["an issuer with a query", { ...PLAIN, issuer: "https://sso.example/?tenant=1" }, /query/],
    ["an issuer with an empty query", { ...PLAIN, issuer: "https://sso.example/?" }, /query/],
    [
      "an issuer whose groups could be another's",
      { ...PLAIN, issuer: "https://sso.example/a|b" },
      /must not contain \|/,
    ],
    ["an issuer with a fragment", { ...PLAIN, issuer: "https://sso.example/#a" }, /https URL/],
    ["an issuer in capitals", { ...PLAIN, issuer: "https://SSO.example" }, /normalised URL.*https:\/\/sso\.example/],
    ["an issuer with a Cyrillic letter", { ...PLAIN, issuer: "https://ѕso.example" }, /normalised URL.*xn--/],
    ["an issuer with the usual port", { ...PLAIN, issuer: "https://sso.example:443/a" }, /normalised URL/],
    ["an issuer with a way back in its path", { ...PLAIN, issuer: "https://sso.example/a/../b" }, /normalised URL/],
    ["an issuer with white space after it", { ...PLAIN, issuer: "https://sso.example/a " }, /normalised URL/],
    ["an issuer longer than 500 characters", { ...PLAIN, issuer: `https://sso.example/${"a".repeat(500)}` }, /issuer/],
    [
      "the issuer of an instance of this deployment",
      { ...PLAIN, issuer: "https://acme-be.example.com" },
      /instance acme/,
    ],
    ["another instance's issuer", { ...PLAIN, issuer: "https://globex-be.example.com/" }, /instance globex/],
    ["an own issuer with a dot after the host", { ...PLAIN, issuer: "https://acme-be.example.com./" }, /instance acme/],
    ["an issuer where whoever likes has a token signed", { ...PLAIN, issuer: "https://gitlab.com" }, /everybody/],
    ["Apple without a claim", { ...PLAIN, issuer: "https://appleid.apple.com" }, /everybody/],
    // Names and lists
    ["a name of 81 characters", { ...PLAIN, name: "x".repeat(81) }, /name must have 1 to 80/],
    ["no client id", { ...PLAIN, clientIds: [] }, /client ids/],
    ["an empty client id", { ...PLAIN, clientIds: [""] }, /client ids/],
    ["101 client ids", { ...PLAIN, clientIds: Array.from({ length: 101 }, (_, index) => `c${index}`) }, /client ids/],
    ["a client id with a line break", { ...PLAIN, clientIds: ["portal\n"] }, /white space.*portal/],
    ["an audience with a space before it", { ...PLAIN, audiences: [" api"] }, /white space.*api/],
    ["a client id with a zero byte inside", { ...PLAIN, clientIds: ["por\u0000tal"] }, /white space/],
    ["21 audiences", { ...PLAIN, audiences: Array.from({ length: 21 }, (_, index) => `a${index}`) }, /20 audiences/],
    ["no scope", { ...PLAIN, scopes: [] }, /SEARCH, CHAT, DOCUMENTS/],
    ["an unknown scope", { ...PLAIN, scopes: ["EVERYTHING"] }, /SEARCH, CHAT, DOCUMENTS/],
    ["a scope that asks for a refresh token", { ...PLAIN, scopes: ["offline_access"] }, /SEARCH, CHAT, DOCUMENTS/],
    ["an empty claim of the groups", { ...PLAIN, groupsClaim: "" }, /groups/],
    ["a required claim that is a number", { ...PLAIN, requiredClaims: { tid: 1 } }, /required claim/],
    ["a required claim that has its own rule", { ...PLAIN, requiredClaims: { iss: "x" } }, /claim iss/],
    ["a required audience among the claims", { ...PLAIN, requiredClaims: { aud: "x" } }, /set audiences/],
    // Signatures and keys
    ["no signature at all", { ...PLAIN, algorithms: ["none"] }, /shared secret/],
    ["a shared secret", { ...PLAIN, algorithms: ["RS256", "HS256"] }, /shared secret/],
    ["no algorithm", { ...PLAIN, algorithms: [] }, /shared secret/],
    ["keys over plain http", { ...PLAIN, jwksUri: "http://sso.example/jwks" }, /keys.*https/],
    [
      "keys of the machine itself for an issuer on https",
      { ...PLAIN, jwksUri: "http://127.0.0.1/jwks" },
      /need an https URL/,
    ],
    ["keys in a data URL", { ...PLAIN, jwksUri: "data:application/json,{}" }, /keys.*https/],
    ["keys behind a password", { ...PLAIN, jwksUri: "https://a:b@sso.example/jwks" }, /password/],
    // The person
    ["a person by name", { ...PLAIN, personBy: "name" }, /email or by subject/],
    ["an email in the subject", { ...PLAIN, personClaim: "sub" }, /contain an email address/],
    ["an email in Entra's object id", { ...PLAIN, personClaim: "oid" }, /contain an email address/],
    ["an email that nobody vouches for", { ...PLAIN, emailVouchedBy: "nobody" }, /vouched by/],
    ["a subject of another issuer than the SSO", { ...SUBJECT, issuer: "https://other.example" }, /same issuer/],
    ["a subject in a claim that people choose", { ...SUBJECT, personClaim: "preferred_username" }, /choose their/],
    ["a subject in the email", { ...SUBJECT, personClaim: "email" }, /choose their email/],
    ["a subject with an email vouched for", { ...SUBJECT, emailVouchedBy: "administrator" }, /leave out who vouches/],
    // Entra
    ["Entra's common", { ...ENTRA, issuer: "https://login.microsoftonline.com/common/v2.0" }, /every organisation/],
    [
      "Entra's Organizations",
      { ...ENTRA, issuer: "https://login.microsoftonline.com/Organizations/v2.0" },
      /every org/,
    ],
    [
      "Entra's template",
      { ...ENTRA, issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" },
      /every organisation/,
    ],
    [
      "Entra's personal accounts",
      {
        ...ENTRA,
        issuer: "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
      },
      /every organisation/,
    ],
    ["Entra's common of version 1", { ...ENTRA_V1, issuer: "https://sts.windows.net/common/" }, /sts\.windows\.net/],
    [
      "an Entra tenant by its domain",
      { ...ENTRA, issuer: "https://login.microsoftonline.com/acme.example/v2.0" },
      /tenant id/,
    ],
    ["Entra in capitals", { ...ENTRA, issuer: `https://LOGIN.microsoftonline.com/${TENANT}/v2.0` }, /normalised URL/],
    ["Entra without its version", { ...ENTRA, issuer: `https://login.microsoftonline.com/${TENANT}` }, /v2\.0/],
    ["Entra with a slash too many", { ...ENTRA, issuer: `${ENTRA.issuer}/` }, /slashes/],
    ["Entra's version 1 with a slash too few", { ...ENTRA_V1, issuer: `https://sts.windows.net/${TENANT}` }, /slashes/],
    ["Entra's version 1 without its keys", { ...ENTRA_V1, jwksUri: undefined }, /keys' URL/],
    ["Entra without an audience", { ...ENTRA, audiences: [] }, /audience/],
    ["a token for Microsoft Graph", { ...ENTRA, audiences: [API, "https://graph.microsoft.com/"] }, /Graph/],
    [
      "a token for Microsoft Graph by its id",
      { ...ENTRA, audiences: ["00000003-0000-0000-C000-000000000000"] },
      /Graph/,
    ],
    ["Entra's version 1 claim in version 2", { ...ENTRA, clientIdClaim: "appid" }, /azp/],
    ["Entra's version 2 claim in version 1", { ...ENTRA_V1, clientIdClaim: "azp" }, /appid/],
    ["Entra's subject", { ...ENTRA, personBy: "subject", personClaim: "sub" }, /between applications/],
    ["an email that Entra never calls verified", { ...ENTRA, emailVerifiedClaim: undefined }, /xms_edov/],
    // Google
    ["Google without a domain", { ...GOOGLE, requiredClaims: {} }, /everybody.*hd=/],
    ["Google with another claim only", { ...GOOGLE, requiredClaims: { email: "ada@acme.example" } }, /hd=/],
    ["Google with a slash", { ...GOOGLE, issuer: "https://accounts.google.com/" }, /without a slash/],
    ["Google, vouched for by an administrator", { ...GOOGLE, emailVouchedBy: "administrator" }, /email_verified/],
    ["Google with another claim that an email is verified", { ...GOOGLE, emailVerifiedClaim: "hd" }, /email_verified/],
    // Okta, Auth0
    ["Okta's org server", { ...OKTA, issuer: "https://acme.okta.com" }, /Okta alone/],
    [
      "Okta's server with a slash at the end",
      { ...OKTA, issuer: "https://acme.oktapreview.com/oauth2/default/" },
      /Okta/,
    ],
    ["Auth0 without its slash", { ...AUTH0, issuer: "https://acme.eu.auth0.com" }, /slash/],
    ["Auth0 without an API", { ...AUTH0, audiences: [] }, /opaque/],
    ["Auth0's userinfo", { ...AUTH0, audiences: ["https://acme.eu.auth0.com/userinfo"] }, /own APIs/],
    ["Auth0's management", { ...AUTH0, audiences: ["https://acme.eu.auth0.com/api/v2/"] }, /own APIs/],
  ])("is refused with %s, and the message says what to change", (_name, draft, why) => {
    const answer = read(
      draft,
      draft.issuer === SUBJECT.issuer || draft === SUBJECT ? [SUBJECT.issuer] : [PLAIN.issuer],
    );
    expect(answer).toMatch(why);
    expect(answer).not.toContain("\n");
  });

  it("is refused with a subject if there is no SSO that could know it", () => {
    expect(read(SUBJECT, [])).toMatch(/no SSO/);
  });
});
