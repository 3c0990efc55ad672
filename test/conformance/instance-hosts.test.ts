import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, postForm, search } from "../support/app-client.ts";
import { expectOAuthError, expectPage, expectTokens } from "../support/oauth-answers.ts";
import { makeInstance, ORIGIN, send } from "../support/world.ts";

const METADATA = "/.well-known/oauth-authorization-server";
const OTHER = "http://other.localhost";

describe("hosts and instances (RFC 9700 §2.6, §4.4)", () => {
  let app: AppClient;
  let other: AppClient;

  beforeAll(async () => {
    await makeInstance();
    await makeInstance("other");
    app = await AppClient.registered();
    other = await AppClient.registered({}, OTHER);
  });

  it.each([
    "https://nobody-be.example.com",
    "https://example.com",
    "https://-be.example.com",
    "https://acme.example.com",
    "https://acme-be.example.com.evil.example",
    "https://evil.example",
    "https://x.acme-be.example.com",
    "https://acme_-be.example.com",
    "https://acme-be.example.com.",
    "http://nobody.localhost",
    "http://x.acme.localhost",
  ])("respond with 404 unknown_host if no instance has the host: %s", async (origin) => {
    for (const path of [METADATA, "/oauth/jwks", "/oauth/authorize?client_id=x", "/"]) {
      const response = await send(origin + path);
      const answer = await response.json<{ error: string; requestId: string }>();
      expect({ status: response.status, error: answer.error }).toEqual({ status: 404, error: "unknown_host" });
      expect(answer.requestId).toBe(response.headers.get("X-Request-Id"));
    }
  });

  it.each([
    METADATA,
    "/oauth/authorize",
    "/oauth/token",
    "/oauth/jwks",
    "/rest/api/v1/search",
    "/rest/api/index/indexdocument",
    "/mcp",
    "/admin",
    "/",
  ])("refuse plain HTTP outside loopback hosts: %s", async (path) => {
    const response = await send(`http://acme-be.example.com${path}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "https_required", requestId: expect.any(String) });
  });

  it("take neither the issuer's host nor its scheme from a header", async () => {
    const headers = {
      "X-Forwarded-Host": "other.localhost",
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Port": "8443",
      "X-Original-Host": "other.localhost",
      "X-Host": "other.localhost",
      "X-Original-URL": "/oauth/jwks",
      Forwarded: "host=other.localhost;proto=https",
      Host: "other.localhost",
    };
    const metadata = await (await send(METADATA, { headers })).json<Record<string, unknown>>();
    expect(metadata["issuer"]).toBe(ORIGIN);
    expect(JSON.stringify(metadata)).not.toContain("other.localhost");
    const upgraded = await send(`http://acme-be.example.com${METADATA}`, { headers: { "X-Forwarded-Proto": "https" } });
    expect(upgraded.status).toBe(400);
  });

  it("send Strict-Transport-Security over HTTPS", async () => {
    const response = await send(`https://acme-be.example.com${METADATA}`);
    expect(response.headers.get("Strict-Transport-Security")).toMatch(/^max-age=\d{8}/);
  });

  it("refuse clients of another instance", async () => {
    await expectPage(await send(app.authorizeUrl(CHALLENGE).replace(ORIGIN, OTHER)), 400);
    const form = { grant_type: "refresh_token", refresh_token: "x", client_id: app.clientId };
    await expectOAuthError(await postForm(`${OTHER}/oauth/token`, form), 401, "invalid_client");
  });

  /** In local development, the same instance has two origins. Each is a separate issuer. */
  it.each([OTHER, "http://localhost", "https://acme-be.example.com"])(
    "don't redeem, refresh or revoke the codes and tokens of another origin at %s",
    async (origin) => {
      const authorized = await app.authorize();
      const { code, verifier } = authorized;
      for (const client_id of [app.clientId, other.clientId]) {
        const form = { grant_type: "authorization_code", client_id, code, code_verifier: verifier };
        const response = await postForm(`${origin}/oauth/token`, form);
        expect([400, 401]).toContain(response.status);
      }
      const tokens = await expectTokens(await app.redeem(authorized));
      for (const client_id of [app.clientId, other.clientId]) {
        const form = { grant_type: "refresh_token", client_id, refresh_token: tokens.refresh_token };
        expect([400, 401]).toContain((await postForm(`${origin}/oauth/token`, form)).status);
      }
      if (origin === OTHER) {
        const form = { client_id: other.clientId, token: tokens.refresh_token };
        expect((await postForm(`${OTHER}/oauth/revoke`, form)).status).toBe(200);
      }
      expect((await search(tokens.access_token)).status).toBe(200);
      await expectTokens(await app.refresh(tokens.refresh_token));
    },
  );

  it("refuse to complete a sign-in that began at another instance", async () => {
    const response = await send(app.authorizeUrl(CHALLENGE));
    const state = new URL(response.headers.get("Location") ?? "").searchParams.get("state");
    const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const callback = `${OTHER}/oauth/callback?code=x&state=${state}`;
    await expectPage(await send(callback, { headers: { Cookie: cookie } }), 400);
  });

  it("have different keys for each instance", async () => {
    const kids = async (origin: string) => {
      const { keys } = await (await send(`${origin}/oauth/jwks`)).json<{ keys: { kid: string }[] }>();
      return keys.map((key) => key.kid);
    };
    const [mine, theirs] = [await kids(ORIGIN), await kids(OTHER)];
    expect(mine.length).toBeGreaterThan(0);
    expect(theirs.length).toBeGreaterThan(0);
    expect(mine.filter((kid) => theirs.includes(kid))).toEqual([]);
  });

  it.each([
    ["POST", METADATA, "GET"],
    ["POST", "/oauth/jwks", "GET"],
    ["POST", "/oauth/authorize", "GET"],
    ["GET", "/oauth/token", "POST"],
    ["GET", "/oauth/register", "POST"],
    ["GET", "/oauth/revoke", "POST"],
    ["DELETE", "/oauth/consent", "GET, POST"],
  ])("respond to %s %s with 405 and the allowed methods (RFC 9110 §15.5.6)", async (method, path, allowed) => {
    const response = await send(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")?.split(", ")).toEqual(expect.arrayContaining(allowed.split(", ")));
  });

  it.each(["/oauth", "/oauth/", "/oauth/token/", "/OAUTH/TOKEN", "/.well-known/openid", "/%2e%2e/x"])(
    "respond with 404 at %s",
    async (path) => {
      const response = await send(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: "not_found", requestId: expect.any(String) });
    },
  );
});
