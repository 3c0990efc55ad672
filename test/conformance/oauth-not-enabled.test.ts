import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, type Authorized, CHALLENGE, register, search, type TokenAnswer } from "../support/app-client.ts";
import { expectOAuthError, expectPage, expectTokens } from "../support/oauth-answers.ts";
import { changeSettings, makeInstance, ORIGIN, send } from "../support/world.ts";

const SENTENCE = "OAuth is not enabled for this instance: an administrator enables it in the admin console";

describe("an instance whose administrator has not enabled OAuth", () => {
  let app: AppClient;
  let authorized: Authorized;
  let tokens: TokenAnswer;

  beforeAll(async () => {
    await makeInstance();
    app = await AppClient.registered();
    tokens = await app.tokens();
    authorized = await app.authorize();
    await changeSettings("acme", { oauthEnabled: false });
  });

  it("is what every new instance is", async () => {
    await makeInstance("other", { oauthEnabled: undefined });
    const response = await send("http://other.localhost/.well-known/oauth-authorization-server");
    await expectOAuthError(response, 403, "oauth_not_enabled");
  });

  it.each([
    ["metadata", () => send("/.well-known/oauth-authorization-server")],
    ["registration", () => register({ redirect_uris: [app.redirectUri] })],
    ["the token endpoint, for a code", () => app.redeem(authorized)],
    ["the token endpoint, for a refresh", () => app.refresh(tokens.refresh_token)],
    ["the token endpoint, for nonsense", () => app.refresh("x", { client_id: "nobody" })],
    ["revocation", () => app.revoke(tokens.refresh_token)],
  ])("responds with 403 oauth_not_enabled and an explanation: %s", async (_, request) => {
    const response = await request();
    expect(response.status).toBe(403);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ error: "oauth_not_enabled", error_description: SENTENCE });
  });

  it.each(["/oauth/authorize", "/oauth/callback?state=x", "/oauth/consent?request=x"])(
    "responds with 403 and a page with the explanation: %s",
    async (path) => {
      const url = path === "/oauth/authorize" ? app.authorizeUrl(CHALLENGE) : path;
      expect(await expectPage(await send(url), 403)).toContain(SENTENCE);
    },
  );

  it("refuses the tokens that it issued", async () => {
    const response = await search(tokens.access_token);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: "oauth_not_enabled", message: SENTENCE });
  });

  it("still publishes its keys", async () => {
    const response = await send("/oauth/jwks");
    expect(response.status).toBe(200);
    const { keys } = await response.json<{ keys: Record<string, unknown>[] }>();
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(key).not.toHaveProperty("d");
  });

  it("names no authorization server in the resource's metadata", async () => {
    const response = await send("/.well-known/oauth-protected-resource");
    expect(response.status).toBe(200);
    const metadata = await response.json<Record<string, unknown>>();
    expect(metadata["resource"]).toBe(ORIGIN);
    expect(metadata).not.toHaveProperty("authorization_servers");
  });

  it("accepts its earlier codes and tokens once OAuth is enabled again", async () => {
    await changeSettings("acme", { oauthEnabled: true });
    await expectTokens(await app.redeem(authorized));
    await expectTokens(await app.refresh(tokens.refresh_token));
    expect((await search(tokens.access_token)).status).toBe(200);
  });
});
