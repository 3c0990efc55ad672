import type { InstanceRecord } from "#instance/instances.ts";
import { sha256 } from "#crypto/secrets.ts";
import { base64url, createLocalJWKSet, type JWK, jwtVerify } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, postForm, search, type TokenAnswer } from "../support/app-client.ts";
import { ASSERTION_TYPE, ClientKey } from "../support/asserting-client.ts";
import { putTogether } from "../support/forged-tokens.ts";
import { MODERN, rpc } from "../support/mcp.ts";
import { expectErrorAtApp, expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { DirectoryClient } from "../support/scim.ts";
import {
  changeSettings,
  disableClient,
  issueIndexingToken,
  makeInstance,
  narrowClient,
  ORIGIN,
  send,
  setDeactivated,
} from "../support/world.ts";

const PATH = "/.well-known/openid-configuration";

type IdentifiedAnswer = TokenAnswer & { readonly id_token?: string };

/** As long as the FAPI 2.0 profile requires (5.3.2.2-14). */
const NONCE = "n-0S6_WzA2Mj".padEnd(64, "x");

/** The scopes of registered apps, to which an administrator added those about the person. */
const IDENTIFYING = ["SEARCH", "offline_access", "openid", "email"];

describe("the OpenID provider (OpenID Connect Core 1.0)", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance("acme", { dynamicScopes: IDENTIFYING });
    app = await AppClient.registered();
  });

  async function tokens(scope: string, changes: Record<string, string> = {}, sub = "ben"): Promise<IdentifiedAnswer> {
    return expectTokens(await app.redeem(await app.authorize(sub, { scope, ...changes })));
  }

  async function userInfo(token: string | undefined, method = "GET"): Promise<Response> {
    return send("/oauth/userinfo", {
      method,
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    });
  }

  async function claimsOf(idToken: string, audience = app.clientId) {
    const keys = createLocalJWKSet(await (await send("/oauth/jwks")).json());
    return (await jwtVerify(idToken, keys, { issuer: ORIGIN, audience, typ: "JWT" })).payload;
  }

  it("refuses at UserInfo whatever isn't a token of this instance (§5.3.3)", async () => {
    for (const token of ["x", "a.b.c", putTogether({ alg: "ES256", kid: { toString: 1 } }, {}, "x")]) {
      const response = await userInfo(token);
      expect([response.status, response.headers.get("WWW-Authenticate")]).toEqual([
        401,
        'Bearer error="invalid_token"',
      ]);
    }
  });

  it("publishes its configuration, which includes the authorization server's metadata (Discovery §4)", async () => {
    const response = await send(PATH, { headers: { Origin: "https://app.example" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const configuration = await response.json<Record<string, unknown>>();
    const metadata = await (await send("/.well-known/oauth-authorization-server")).json<Record<string, unknown>>();
    expect(configuration).toMatchObject({
      ...metadata,
      issuer: ORIGIN,
      userinfo_endpoint: `${ORIGIN}/oauth/userinfo`,
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
      scopes_supported: expect.arrayContaining(["openid", "email"]),
    });
  });

  it("responds with 403 while the authorization server is off", async () => {
    await changeSettings("acme", { oauthEnabled: false });
    for (const path of [PATH, "/oauth/userinfo"]) expect((await send(path)).status).toBe(403);
    await changeSettings("acme", { oauthEnabled: true });
  });

  it("issues a signed ID token for the client, with the nonce and the access token's hash (§2, §3.1.3.6)", async () => {
    const answer = await tokens("openid SEARCH", { nonce: NONCE });
    const claims = await claimsOf(answer.id_token ?? "");
    expect(claims).toMatchObject({ iss: ORIGIN, aud: app.clientId, nonce: NONCE });
    const half = base64url.decode(await sha256(answer.access_token)).slice(0, 16);
    expect(claims["at_hash"]).toBe(base64url.encode(half));
    expect(Object.keys(claims).sort()).toEqual(["at_hash", "aud", "exp", "iat", "iss", "nonce", "sub"]);
    expect((await (await userInfo(answer.access_token)).json<{ sub: string }>()).sub).toBe(claims.sub);
  });

  it("issues no ID token unless the request names the scope openid, and none at a refresh", async () => {
    expect(await tokens("SEARCH email")).not.toHaveProperty("id_token");
    const unasked = await expectTokens(await app.redeem(await app.authorize()));
    expect(unasked).not.toHaveProperty("id_token");
    expect(unasked.scope).not.toMatch(/openid|email/);
    const { refresh_token } = await tokens("openid SEARCH offline_access");
    expect(await expectTokens(await app.refresh(refresh_token))).not.toHaveProperty("id_token");
  });

  it("explains openid and email on the consent page, and opens no API with these scopes alone", async () => {
    const page = await app.toConsent(app.browser(), "ben", app.authorizeUrl(CHALLENGE, { scope: "openid email" }));
    for (const words of ["Know who you are", "See your name and email address"]) expect(page.html).toContain(words);
    const { access_token, scope } = await tokens("openid email profile");
    expect(scope).toBe("openid email");
    const refused = await search(access_token);
    expect(refused.status).toBe(403);
    expect(refused.headers.get("WWW-Authenticate")).toContain('error="insufficient_scope"');
  });

  it("refuses a request for the scope email alone", async () => {
    const response = await send(app.authorizeUrl(CHALLENGE, { scope: "email" }));
    expectErrorAtApp(response, app.redirectUri, "invalid_scope");
  });

  it("refuses a nonce of 513 characters", async () => {
    const response = await send(app.authorizeUrl(CHALLENGE, { scope: "openid", nonce: "n".repeat(513) }));
    expectErrorAtApp(response, app.redirectUri, "invalid_request");
  });

  it.each(["GET", "POST"])(
    "returns name and verified email from UserInfo by %s to an app with the scope email (§5.3)",
    async (method) => {
      const { access_token } = await tokens("openid email");
      const response = await userInfo(access_token, method);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(await response.json()).toEqual({
        sub: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
        name: "Ben Okafor",
        email: "ben@acme.example",
        email_verified: true,
      });
    },
  );

  it("reports an email as verified if the SSO said so and no directory has changed it since (§5.1)", async () => {
    const { access_token } = await tokens("openid email", {}, "carla");
    const told = async () => {
      const { email, email_verified } = await (await userInfo(access_token)).json<Record<string, unknown>>();
      return [email, email_verified];
    };
    const carla = "carla@acme.example";
    const okta = await DirectoryClient.of(instance);
    const id = await okta.addUser(carla, { displayName: "Carla" });
    await okta.patch(`/Users/${id}`, { op: "replace", path: "displayName", value: "Carla B." });
    expect(await told()).toEqual([carla, true]);
    await okta.patch(`/Users/${id}`, { op: "replace", path: "userName", value: "ceo@elsewhere.example" });
    expect(await told()).toEqual(["ceo@elsewhere.example", false]);
    await tokens("openid email", {}, "carla");
    expect(await told()).toEqual([carla, true]);
  });

  it("returns nothing but the id from UserInfo without the scope email", async () => {
    const { access_token } = await tokens("openid SEARCH");
    expect(Object.keys(await (await userInfo(access_token)).json<object>())).toEqual(["sub"]);
  });

  it("challenges requests to UserInfo with no token, a wrong one, or one without openid (RFC 6750 §3)", async () => {
    const { access_token } = await tokens("SEARCH");
    const { id_token } = await tokens("openid");
    const cases: [string | undefined, number, string | null][] = [
      [undefined, 401, "Bearer"],
      ["x", 401, 'Bearer error="invalid_token"'],
      [id_token, 401, 'Bearer error="invalid_token"'],
      [access_token, 403, 'Bearer error="insufficient_scope", scope="openid"'],
    ];
    for (const [token, status, challenge] of cases) {
      const response = await userInfo(token);
      expect([response.status, response.headers.get("WWW-Authenticate")]).toEqual([status, challenge]);
    }
  });

  it("refuses UserInfo once the grant is revoked, the person deactivated or the client disabled", async () => {
    const revoked = await tokens("openid offline_access");
    await app.revoke(revoked.refresh_token);
    expect((await userInfo(revoked.access_token)).status).toBe(401);
    const carlas = await tokens("openid", {}, "carla");
    expect((await userInfo(carlas.access_token)).status).toBe(200);
    await setDeactivated(instance, "carla@acme.example");
    expect((await userInfo(carlas.access_token)).status).toBe(401);
    const other = await AppClient.registered();
    const others = await other.tokens("ben", { scope: "openid" });
    await disableClient(instance, other.clientId);
    expect((await userInfo(others.access_token)).status).toBe(401);
  });

  it("returns from UserInfo only what the scopes of the client, or of all registered clients, still allow", async () => {
    const made = await AppClient.madeByAdministrator(instance);
    const mades = await made.tokens("ben", { scope: "openid email SEARCH" });
    const registered = await tokens("openid email SEARCH");
    const toldTo = async ({ access_token }: TokenAnswer) => {
      const response = await userInfo(access_token);
      return [response.status, Object.keys(await response.json<object>()).includes("email")];
    };
    const told = async () => [await toldTo(mades), await toldTo(registered)].flat();
    expect(await told()).toEqual([200, true, 200, true]);
    await narrowClient(made.clientId, ["SEARCH", "openid"]);
    await changeSettings("acme", { dynamicScopes: ["SEARCH", "openid"] });
    expect(await told()).toEqual([200, false, 200, false]);
    await changeSettings("acme", { dynamicScopes: ["SEARCH"] });
    expect(await told()).toEqual([200, false, 403, false]);
    await changeSettings("acme", { dynamicScopes: IDENTIFYING });
  });

  it("refuses an unbound token at UserInfo while the instance requires DPoP", async () => {
    const { access_token } = await tokens("openid email");
    await changeSettings("acme", { appRequirements: ["dpop"] });
    const response = await userInfo(access_token);
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain("ben@");
    await changeSettings("acme", { appRequirements: undefined });
  });

  it("refuses its ID token as a bearer token at the Client API, /mcp and the Indexing API", async () => {
    const { access_token, id_token = "" } = await tokens("openid SEARCH");
    const indexing = await issueIndexingToken(instance, "documents:global_scope");
    const searched = async (token: string) => (await search(token)).status;
    const listed = async (token: string) => (await rpc(token, MODERN, "tools/list")).response.status;
    const indexed = async (token: string) =>
      (await new Pipeline(token).post("/api/index/v1/indexdocuments", { documents: [draft("x")] })).status;
    expect([await searched(access_token), await listed(access_token), await indexed(indexing)]).toEqual([
      200, 200, 200,
    ]);
    expect([await searched(id_token), await listed(id_token), await indexed(id_token)]).toEqual([401, 401, 401]);
  });

  it("refuses its ID token as a client assertion, even of a client that publishes this server's keys as its own", async () => {
    const key = await ClientKey.make();
    const ours = await (await send("/oauth/jwks")).json<{ keys: JWK[] }>();
    const jwks = { keys: [key.publicJwk, ...ours.keys] };
    const asserting = await AppClient.registered({ token_endpoint_auth_method: "private_key_jwt", jwks });
    const authorized = await asserting.authorize("ben", { scope: "openid" });
    const proof = await key.authenticates(asserting.clientId);
    const answer: IdentifiedAnswer = await expectTokens(await asserting.redeem(authorized, proof));
    expect(answer.id_token).toBeDefined();
    for (const client_id of [asserting.clientId, undefined]) {
      const form = { token: "x", client_id, client_assertion_type: ASSERTION_TYPE, client_assertion: answer.id_token };
      await expectOAuthError(await postForm("/oauth/introspect", form), 401, "invalid_client");
    }
  });
});
