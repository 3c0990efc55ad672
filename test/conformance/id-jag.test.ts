import type { InstanceRecord } from "#instance/instances.ts";
import { base64url } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, basic, type Changes, postForm, search, type TokenAnswer } from "../support/app-client.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { DocumentHost } from "../support/document-host.ts";
import { DpopKey } from "../support/dpop-key.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { signOut } from "../support/people.ts";
import { ANNOUNCED, type KeyName, TestIssuer } from "../support/test-issuer.ts";
import { changeSettings, disableClient, makeInstance, ORIGIN, send, setDeactivated, travel } from "../support/world.ts";

type Json = Readonly<Record<string, unknown>>;

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const DOCUMENT = "https://app.example/oauth/client.json";

describe("identity assertions (draft-ietf-oauth-identity-assertion-authz-grant-04)", () => {
  let acme: InstanceRecord;
  let idp: TestIssuer;
  let app: AppClient;
  let publicApp: AppClient;
  let self: AppClient;

  beforeAll(async () => {
    acme = await makeInstance();
    idp = await TestIssuer.publishing("rsa");
    app = await AppClient.madeByAdministrator(acme, { tokenEndpointAuthMethod: "client_secret_basic" });
    publicApp = await AppClient.madeByAdministrator(acme);
    self = await AppClient.registered();
    await accept();
  });
  afterEach(() => vi.useRealTimers());

  function accept(changes: Json = {}): Promise<void> {
    const clientIds = [app.clientId, publicApp.clientId, self.clientId, DOCUMENT];
    const usual = { accepts: "id-jags", clientIds, audiences: [], scopes: ["SEARCH", "CHAT"] };
    return idp.register(acme, { ...usual, ...changes });
  }

  /** Returns an assertion about Ben for the app; `undefined` leaves a claim out. */
  async function idJag(claims: Json = {}, header: Json = {}, key: KeyName = "rsa"): Promise<string> {
    const forge = await idp.forge(key);
    const now = Math.floor(Date.now() / 1000);
    const usual = { ...forge.claims, azp: undefined, aud: ORIGIN, client_id: app.clientId, jti: crypto.randomUUID() };
    const times = { iat: now, exp: now + 300 };
    return forge.sign({ ...forge.header, typ: "oauth-id-jag+jwt", ...header }, { ...usual, ...times, ...claims });
  }

  /** Presents an assertion as the confidential app, unless the changes name a client. */
  async function present(assertion: string | Promise<string>, changes: Changes = {}): Promise<Response> {
    const asApp: Record<string, string> =
      "client_id" in changes ? {} : { Authorization: basic(app.clientId, app.secret ?? "") };
    return postForm("/oauth/token", { grant_type: JWT_BEARER, assertion: await assertion, ...changes }, asApp);
  }

  async function refused(assertion: string | Promise<string>, error = "invalid_grant", status = 400): Promise<void> {
    await expectOAuthError(await present(assertion), status, error);
  }

  it("are exchanged for an access token for the person, without a refresh token", async () => {
    const tokens = await expectTokens(await present(idJag({ scope: "search chat offline_access email" })));
    expect(tokens).toMatchObject({ scope: "SEARCH CHAT", resource: ORIGIN });
    expect(tokens.refresh_token).toBeUndefined();
    const { claims } = takeApart(tokens.access_token);
    expect(claims).toMatchObject({ aud: ORIGIN, client_id: app.clientId, client_kind: "static" });
    expect((await search(tokens.access_token)).status).toBe(200);
  });

  it("make the account page and the admin console say that the identity provider connected the app, not the person", async () => {
    const { clientId } = publicApp;
    await expectTokens(await present(idJag({ client_id: clientId }), { client_id: clientId }));
    const ben = await ConsoleBrowser.signIn("ben");
    const shown = await ben.read("/account");
    expect(shown).toContain(`identity provider, <bdi>${idp.url}</bdi>, connected this app for you. You weren’t asked`);
    expect(shown).not.toContain("Allowed");
    const ada = await openConsole(acme);
    expect(await ada.read("/admin/grants")).toContain(`Identity provider ${idp.url}. The person was not asked`);

    await publicApp.tokens("ben");
    const both = await ben.read("/account");
    expect(both).toContain("also connected this app for you, without asking you");
    expect(both).toContain("Allowed");
    await ben.post("/account/end", { client_id: clientId });
  });

  it("lead to the same person and grant for the same account, and to another person for another account", async () => {
    const claimsOf = async (assertion: Promise<string>) =>
      takeApart((await expectTokens(await present(assertion))).access_token).claims;
    const [first, second] = [await claimsOf(idJag()), await claimsOf(idJag())];
    expect([second["sub"], second["grant_id"]]).toEqual([first["sub"], first["grant_id"]]);
    const cleo = await claimsOf(idJag({ sub: "00u-cleo", email: "cleo@acme.example" }));
    expect(cleo["sub"]).not.toBe(first["sub"]);
  });

  it.each([
    ["/mcp by the claim", { resource: `${ORIGIN}/mcp` }, {}, `${ORIGIN}/mcp`],
    ["/mcp by the request", {}, { resource: `${ORIGIN}/mcp` }, `${ORIGIN}/mcp`],
    [
      "the one of several that is asked for",
      { resource: [ORIGIN, `${ORIGIN}/mcp`] },
      { resource: `${ORIGIN}/mcp/` },
      `${ORIGIN}/mcp`,
    ],
    [
      "the one of several that is here",
      { resource: ["https://elsewhere.example", `${ORIGIN}/mcp`] },
      {},
      `${ORIGIN}/mcp`,
    ],
  ])("give a token for %s", async (_name, claims, changes, aud) => {
    const parameters = { ...changes, scope: "SEARCH" };
    const response = await postForm(
      "/oauth/token",
      { grant_type: JWT_BEARER, assertion: await idJag(claims), ...parameters },
      { Authorization: basic(app.clientId, app.secret ?? "") },
    );
    const tokens = await expectTokens(response);
    expect(takeApart(tokens.access_token).claims["aud"]).toBe(aud);
  });

  it("may name the audience with a slash at its end and in an array of one, and have fractions of seconds", async () => {
    const now = Math.floor(Date.now() / 1000);
    await expectTokens(await present(idJag({ aud: [`${ORIGIN}/`], iat: now - 0.5, exp: now + 60.5 })));
  });

  it.each<[string, Json]>([
    ["another audience", { aud: "https://acme.other.example" }],
    ["another instance's audience", { aud: "http://other.localhost" }],
    ["the token endpoint as audience", { aud: `${ORIGIN}/oauth/token` }],
    ["two audiences", { aud: [ORIGIN, "https://other.example"] }],
    ["no audience", { aud: undefined }],
    ["an empty list of audiences", { aud: [] }],
    ["another client", { client_id: "other" }],
    ["the client in a list", { client_id: ["app"] }],
    ["no client", { client_id: undefined }],
    ["an issuer that nobody registered", { iss: "https://idp.example" }],
    ["the issuer in a list", { iss: ["https://idp.example"] }],
    ["an end in the past", { exp: 1 }],
    ["an end that is no number", { exp: "9999999999" }],
    ["no end", { exp: undefined }],
    ["no beginning", { iat: undefined }],
    ["an id that is no text", { jti: 7 }],
    ["no id", { jti: undefined }],
    ["an empty id", { jti: "" }],
    ["a resource of somebody else", { resource: "https://elsewhere.example/mcp" }],
    ["a resource that is no text", { resource: { uri: ORIGIN } }],
    ["no resource in a list", { resource: [] }],
    ["scopes in a list", { scope: ["SEARCH"] }],
    ["a key that it is bound to", { cnf: { jkt: "x" } }],
    ["an event", { events: {} }],
    ["authorization details", { authorization_details: [{ type: "documents" }] }],
    ["an email of a foreign domain", { sub: "00u-x", email: "ben@evil.example" }],
    ["an email that is not verified", { sub: "00u-y", email: "dan@acme.example", email_verified: false }],
    ["an email in a list", { sub: "00u-z", email: ["ben@acme.example"] }],
    ["another account's email", { sub: "00u-thief" }],
    ["no subject", { sub: undefined }],
  ])("are refused with %s", async (_name, claims) => {
    await expectTokens(await present(idJag()));
    await refused(idJag(claims));
  });

  it("are refused with a future iat, a future or invalid nbf, or a longer lifetime than used ids are stored for", async () => {
    const now = Math.floor(Date.now() / 1000);
    await refused(idJag({ iat: now + 120 }));
    for (const nbf of [now + 120, null, "0", {}]) await refused(idJag({ nbf }));
    await refused(idJag({ exp: now + 3700 }));
  });

  it.each<[string, Json]>([
    ["no type", { typ: undefined }],
    ["the type of an access token", { typ: "at+jwt" }],
    ["the type JWT", { typ: "JWT" }],
    ["a type that only begins alike", { typ: "oauth-id-jag+jwt2" }],
    ["an algorithm that the issuer was not registered with", { alg: "RS512" }],
    ["no algorithm", { alg: "none" }],
    ["a shared secret's algorithm", { alg: "HS256" }],
    ["no key id", { kid: undefined }],
    ["a key id that nobody publishes", { kid: "unknown" }],
    ["a key of its own", { jwk: { kty: "RSA" } }],
    ["a critical extension", { crit: ["exp"] }],
  ])("are refused with %s", async (_name, header) => {
    await refused(idJag({}, header));
  });

  it("are refused unsigned, signed by another key, with a repeated member, and if they are no JWT", async () => {
    const [header = "", claims = "", signature = ""] = (await idJag()).split(".");
    await refused(`${base64url.encode('{"alg":"none","typ":"oauth-id-jag+jwt"}')}.${claims}.`);
    await refused(idJag({}, { kid: takeApart(`${header}.${claims}.${signature}`).header["kid"] }, "rsaNext"));
    const text = new TextDecoder().decode(base64url.decode(claims));
    await refused(`${header}.${base64url.encode(`{"sub":"00u-cleo",${text.slice(1)}`)}.${signature}`);
    await refused("not a JWT");
  });

  it("work once, even with ten requests in parallel, and their id doesn't work again for another person", async () => {
    const assertion = await idJag({ jti: "raced" });
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => present(assertion)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(9);
    await refused(idJag({ jti: "raced", sub: "00u-cleo", email: "cleo@acme.example" }));
  });

  it("work once for each issuer if two issuers choose the same id", async () => {
    const other = await TestIssuer.publishing("rsa");
    await other.register(acme, { accepts: "id-jags", clientIds: [app.clientId] });
    const [ours, theirs] = [
      { jti: "shared", sub: "00u-fay", email: "fay@acme.example" },
      { jti: "shared", sub: "gil", email: "gil@acme.example", iss: other.url },
    ];
    for (const claims of [ours, theirs]) await expectTokens(await present(idJag(claims)));
    for (const claims of [ours, theirs]) await refused(idJag(claims));
    await other.register(acme);
  });

  it("aren't used up by a request that fails client authentication or comes from another client", async () => {
    const assertion = await idJag();
    for (const secret of ["wrong", ""]) {
      const headers = { Authorization: basic(app.clientId, secret) };
      const response = await postForm("/oauth/token", { grant_type: JWT_BEARER, assertion }, headers);
      await expectOAuthError(response, 401, "invalid_client");
    }
    await expectOAuthError(await present(assertion, { client_id: publicApp.clientId }), 400, "invalid_grant");
    await expectTokens(await present(assertion));
  });

  it("work for a public client that an administrator created and listed, but not for one that registered itself", async () => {
    const ofPublic = idJag({ client_id: publicApp.clientId });
    await expectTokens(await present(ofPublic, { client_id: publicApp.clientId }));
    const ofSelf = await present(idJag({ client_id: self.clientId }), { client_id: self.clientId });
    await expectOAuthError(ofSelf, 400, "unauthorized_client");
  });

  it("don't work as access tokens, nor do the provider's access tokens work as assertions, even if both are accepted", async () => {
    await changeSettings("acme", { externalTokensEnabled: true });
    const clientIds = [app.clientId, "portal"];
    await accept({ clientIds });
    expect((await search(await idp.token({ aud: ORIGIN }), undefined, ANNOUNCED)).status).toBe(403);
    await accept({ accepts: "both", clientIds });
    expect((await search(await idp.token({ aud: ORIGIN }), undefined, ANNOUNCED)).status).toBe(200);
    expect((await search(await idJag(), undefined, ANNOUNCED)).status).toBe(401);
    await refused(idp.token({ aud: ORIGIN, client_id: app.clientId, jti: "at" }));
    await accept();
  });

  it("give a token that is bound to the request's DPoP key, and are refused if they name another key", async () => {
    const [key, other] = [await DpopKey.make(), await DpopKey.make()];
    const presentBy = async (prover: DpopKey, claims: Json) => {
      const headers = { Authorization: basic(app.clientId, app.secret ?? ""), DPoP: await prover.freshProof() };
      return postForm("/oauth/token", { grant_type: JWT_BEARER, assertion: await idJag(claims) }, headers);
    };
    for (const claims of [{}, { cnf: { jkt: key.thumbprint } }]) {
      const answer = await (await presentBy(key, claims)).json<TokenAnswer>();
      expect(answer.token_type).toBe("DPoP");
      expect(takeApart(answer.access_token).claims["cnf"]).toEqual({ jkt: key.thumbprint });
    }
    for (const cnf of [{ jkt: other.thumbprint }, { jkt: [key.thumbprint] }, { jkt: key.thumbprint, kid: "x" }, "x"]) {
      await expectOAuthError(await presentBy(key, { cnf }), 400, "invalid_grant");
    }
  });

  it.each<[string, Json, Changes, string]>([
    ["the provider", { scope: "CHAT" }, {}, "CHAT"],
    ["the request", {}, { scope: "chat" }, "chat"],
    ["the issuer's scopes", { scope: "SEARCH DOCUMENTS" }, {}, "SEARCH"],
  ])("give a token with the scopes left by %s", async (_name, claims, changes, scope) => {
    const headers = { Authorization: basic(app.clientId, app.secret ?? "") };
    const form = { grant_type: JWT_BEARER, assertion: await idJag(claims), ...changes };
    expect((await expectTokens(await postForm("/oauth/token", form, headers))).scope).toBe(scope);
  });

  it("are refused with invalid_scope if no scope is left", async () => {
    await refused(idJag({ scope: "DOCUMENTS offline_access" }), "invalid_scope");
    await refused(idJag({ scope: "" }), "invalid_scope");
  });

  it("are refused with invalid_target if the request names a resource that they don't", async () => {
    const form = { grant_type: JWT_BEARER, assertion: await idJag({ resource: `${ORIGIN}/mcp` }), resource: ORIGIN };
    const headers = { Authorization: basic(app.clientId, app.secret ?? "") };
    await expectOAuthError(await postForm("/oauth/token", form, headers), 400, "invalid_target");
  });

  it("are refused for a deactivated person, whose access token ends too", async () => {
    const { access_token: token } = await expectTokens(
      await present(idJag({ sub: "00u-dora", email: "dora@acme.example" })),
    );
    await setDeactivated(acme, "dora@acme.example");
    expect((await search(token)).status).toBe(401);
    await refused(idJag({ sub: "00u-dora", email: "dora@acme.example" }));
  });

  it("are refused if issued before the person was signed out everywhere, and accepted if issued later, within one second too", async () => {
    const emma = { sub: "00u-emma", email: "emma@acme.example" };
    await expectTokens(await present(idJag(emma)));
    const now = Math.floor(Date.now() / 1000);
    await signOut(acme, emma.email, now - 10);
    for (const iat of [now - 11, now - 10]) await refused(idJag({ ...emma, iat }));
    await expectTokens(await present(idJag({ ...emma, iat: now - 9 })));
    await signOut(acme, emma.email, now - 4.5);
    for (const iat of [now - 5, now - 4.6, now - 4.5]) await refused(idJag({ ...emma, iat }));
    for (const iat of [now - 4.4, now - 4]) await expectTokens(await present(idJag({ ...emma, iat })));
  });

  it("are refused while an administrator doesn't accept them, and tokens that they gave before end permanently", async () => {
    const { access_token: token } = await expectTokens(await present(idJag()));
    expect((await search(token)).status).toBe(200);
    await accept({ accepts: "access-tokens" });
    expect((await search(token)).status).toBe(401);
    await refused(idJag());
    await accept();
    expect((await search(token)).status).toBe(401);
    await expectTokens(await present(idJag()));
  });

  it("are refused for a client that an administrator removed from the list or disabled", async () => {
    await accept({ clientIds: [app.clientId] });
    const other = () => present(idJag({ client_id: publicApp.clientId }), { client_id: publicApp.clientId });
    await expectOAuthError(await other(), 400, "invalid_grant");
    await accept();
    await disableClient(acme, publicApp.clientId);
    await expectOAuthError(await other(), 401, "invalid_client");
  });

  it("are refused if a required claim is missing or different, in other letters, in a list or in an object", async () => {
    await accept({ requiredClaims: { tenant: "acme" } });
    for (const tenant of [undefined, "other", "ACME", ["acme"], { acme: true }]) await refused(idJag({ tenant }));
    await expectTokens(await present(idJag({ tenant: "acme" })));
    await accept();
  });

  it("get a 503 while the issuer's keys can't be fetched", async () => {
    const down = await TestIssuer.publishing("rsa");
    await down.set({ faults: { keys: "down" } });
    await down.register(acme, { accepts: "id-jags", clientIds: [app.clientId] });
    await refused(idJag({ iss: down.url }), "temporarily_unavailable", 503);
    await down.register(acme);
  });

  describe("for a client with a metadata document", () => {
    let key: ClientKey;
    let host: DocumentHost;

    beforeAll(async () => {
      key = await ClientKey.make();
    });
    beforeEach(() => {
      host = new DocumentHost();
    });

    function publish(more: Json): void {
      const redirect_uris = ["https://app.example/cb"];
      host.publish(DOCUMENT, { client_id: DOCUMENT, client_name: "Described", redirect_uris, ...more });
    }

    it("are accepted before the person has used the client, but only if the client authenticates itself", async () => {
      publish({ token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [key.publicJwk] } });
      const assertion = idJag({ client_id: DOCUMENT });
      const tokens = await expectTokens(
        await present(assertion, { client_id: DOCUMENT, ...(await key.authenticates(DOCUMENT)) }),
      );
      expect(takeApart(tokens.access_token).claims).toMatchObject({ client_id: DOCUMENT, client_kind: "document" });
      const unproven = await present(idJag({ client_id: DOCUMENT }), { client_id: DOCUMENT });
      await expectOAuthError(unproven, 401, "invalid_client");
    });

    it("don't make the server fetch a document that an administrator hasn't listed", async () => {
      const stranger = "https://app.example/oauth/stranger.json";
      const response = await present(idJag({ client_id: stranger }), { client_id: stranger });
      await expectOAuthError(response, 401, "invalid_client");
      expect(host.asked).toEqual([]);
    });
  });

  it("are announced in the metadata only while an issuer may send them, without naming the issuer (§9.4)", async () => {
    const metadata = async () => (await send("/.well-known/oauth-authorization-server")).json<Json>();
    expect(await metadata()).toMatchObject({
      grant_types_supported: ["authorization_code", "refresh_token", "client_credentials", JWT_BEARER],
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    });
    expect(JSON.stringify(await metadata())).not.toContain(idp.url);
    await accept({ accepts: "access-tokens" });
    const off = await metadata();
    expect(off).not.toHaveProperty("authorization_grant_profiles_supported");
    expect(off["grant_types_supported"]).not.toContain(JWT_BEARER);
    await accept();
  });

  it("are refused after they have expired", async () => {
    const assertion = await idJag();
    travel(331);
    await refused(assertion);
  });
});
