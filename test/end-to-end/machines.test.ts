import { importJWK, type JWTPayload, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { inject, beforeAll, describe, expect, it } from "vitest";
import { openLocalAdmin, runAdmin } from "../../scripts/admin.ts";
import { addressOf } from "../../scripts/local/acme.ts";
import { GATEHOUSE_FOLDER, ORIGIN, search, titlesFor } from "../support/node/gatehouse.ts";
import { publishIssuer } from "../support/node/issuer-token.ts";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const SEARCH = new URL(`${ORIGIN}/rest/api/v1/search`);
const QUESTION = JSON.stringify({ query: "token" });
const JSON_TYPE = new Headers({ "Content-Type": "application/json" });
const LOOPBACK = { [oauth.allowInsecureRequests]: true };

/** Titles that members of finance find. */
const OF_FINANCE = ["Budget of finance", "Handbook for everybody"];

/** Creates a service account in the group finance with an administrator's command, and returns its id. */
async function makeAccount(name: string, proof: object): Promise<string> {
  const admin = openLocalAdmin(GATEHOUSE_FOLDER, addressOf(ORIGIN));
  const draft = JSON.stringify({ name, groups: ["finance"], scopes: ["SEARCH"], proof });
  try {
    const command = ["api", "acme", "POST", "/service-accounts", "--data", draft];
    const made = await runAdmin(command, { ...admin, print: () => undefined });
    return (made as { id: string }).id;
  } finally {
    await admin.dispose();
  }
}

describe("a service account with its own key", () => {
  let clientId: string;
  let key: openid.PrivateKey;

  beforeAll(async () => {
    const { publicKey, privateKey } = await oauth.generateKeyPair("ES256");
    const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
    const jwk = { kty, crv, x, y, kid: "job", alg: "ES256" };
    clientId = await makeAccount("library-job", { keys: { jwks: [jwk] } });
    key = { key: privateKey, kid: "job" };
  });

  it("gets a bearer token and a DPoP-bound token through openid-client, and searches with its groups", async () => {
    const config = await openid.discovery(new URL(ORIGIN), clientId, undefined, openid.PrivateKeyJwt(key), {
      algorithm: "oauth2",
      execute: [openid.allowInsecureRequests],
    });
    const bearer = await openid.clientCredentialsGrant(config, { scope: "SEARCH" });
    expect(bearer).toMatchObject({ token_type: "bearer", scope: "SEARCH" });
    expect(bearer.refresh_token).toBeUndefined();
    expect(await titlesFor(ORIGIN, bearer.access_token)).toEqual(OF_FINANCE);

    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256"));
    const bound = await openid.clientCredentialsGrant(config, { resource: ORIGIN }, { DPoP });
    expect(bound.token_type).toBe("dpop");
    const ask = openid.fetchProtectedResource(config, bound.access_token, SEARCH, "POST", QUESTION, JSON_TYPE, {
      DPoP,
    });
    expect((await ask).status).toBe(200);
    expect((await search(ORIGIN, bound.access_token)).status).toBe(401);
    await expect(openid.clientCredentialsGrant(config, { scope: "DOCUMENTS" })).rejects.toMatchObject({
      error: "invalid_scope",
    });
    // A machine can't push an authorization request, because nobody could consent to it.
    const push = openid.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: "https://job.example/cb",
      scope: "SEARCH",
    });
    await expect(push).rejects.toMatchObject({ error: expect.any(String) });
  });

  it("gets a token through oauth4webapi, and is refused if it sends the same assertion again", async () => {
    const issuer = new URL(ORIGIN);
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...LOOPBACK });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    const client: oauth.Client = { client_id: clientId };
    const sent: string[] = [];
    const proveOnce = oauth.PrivateKeyJwt(key);
    const prove: oauth.ClientAuth = async (as, app, body, headers) => {
      await proveOnce(as, app, body, headers);
      sent.push(body.get("client_assertion") ?? "");
    };
    const ask = (authentication: oauth.ClientAuth) =>
      oauth.clientCredentialsGrantRequest(server, client, authentication, { scope: "SEARCH" }, LOOPBACK);
    const tokens = await oauth.processClientCredentialsResponse(server, client, await ask(prove));
    expect(await titlesFor(ORIGIN, tokens.access_token)).toEqual(OF_FINANCE);
    const again: oauth.ClientAuth = (_as, app, body) => {
      body.set("client_id", app.client_id);
      body.set("client_assertion", sent[0] ?? "");
      body.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    };
    const replayed = oauth.processClientCredentialsResponse(server, client, await ask(again));
    await expect(replayed).rejects.toMatchObject({ error: "invalid_client", status: 401 });
  });
});

describe("a workload of a CI system", () => {
  let platform: string;
  let config: openid.Configuration;

  /** Returns a token like those that GitHub Actions signs for jobs. */
  async function tokenOfJob(claims: JWTPayload = {}): Promise<string> {
    const key = inject("issuers").keys["rsa"];
    if (!key) throw new Error("there is no key rsa");
    return new SignJWT({
      repository: "acme/docs",
      ref: "refs/heads/main",
      aud: ORIGIN,
      jti: crypto.randomUUID(),
      ...claims,
    })
      .setProtectedHeader({ alg: key.algorithm, typ: "JWT", kid: key.privateJwk.kid })
      .setIssuer(platform)
      .setSubject("repo:acme/docs:ref:refs/heads/main")
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(await importJWK(key.privateJwk, key.algorithm));
  }

  beforeAll(async () => {
    platform = await publishIssuer();
    const rule = { issuer: platform, claims: { repository: "acme/docs", ref: "refs/heads/main" }, isSingleUse: true };
    const clientId = await makeAccount("library-ci", { workload: rule });
    config = await openid.discovery(new URL(ORIGIN), clientId, undefined, openid.None(), {
      algorithm: "oauth2",
      execute: [openid.allowInsecureRequests],
    });
  });

  it("exchanges its platform's token once through openid-client, for a DPoP-bound token", async () => {
    const assertion = await tokenOfJob();
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256"));
    const bound = await openid.genericGrantRequest(config, JWT_BEARER, { assertion }, { DPoP });
    expect(bound).toMatchObject({ token_type: "dpop", scope: "SEARCH" });
    const ask = openid.fetchProtectedResource(config, bound.access_token, SEARCH, "POST", QUESTION, JSON_TYPE, {
      DPoP,
    });
    expect((await ask).status).toBe(200);
    await expect(openid.genericGrantRequest(config, JWT_BEARER, { assertion })).rejects.toMatchObject({
      error: "invalid_grant",
    });
    const bearer = await openid.genericGrantRequest(config, JWT_BEARER, { assertion: await tokenOfJob() });
    expect(await titlesFor(ORIGIN, bearer.access_token)).toEqual(OF_FINANCE);
  });

  it.each([
    ["of another branch", { ref: "refs/heads/fork" }],
    ["for another audience", { aud: "https://github.com/acme" }],
  ])("is refused with a token %s, as invalid_grant", async (_name, claims) => {
    const assertion = await tokenOfJob(claims);
    await expect(openid.genericGrantRequest(config, JWT_BEARER, { assertion })).rejects.toMatchObject({
      error: "invalid_grant",
      error_description: expect.any(String),
    });
  });
});
