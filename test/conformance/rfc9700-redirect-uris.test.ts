import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, register } from "../support/app-client.ts";
import { expectErrorAtApp, expectOAuthError, expectPage } from "../support/oauth-answers.ts";
import { REFUSED_REDIRECT_URIS } from "../support/redirect-uris.ts";
import { makeInstance, send } from "../support/world.ts";

/** Redirect URIs as hosts register them. */
const HONEST = [
  "https://app.example/cb",
  "https://app.example/cb?tenant=a%2Fb",
  "https://app.example:8443/cb",
  "http://127.0.0.1:33418/callback",
  "http://127.0.0.1/",
  "http://[::1]:4000/cb",
  "http://localhost:3334/oauth/callback",
  "http://localhost",
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "com.example.app:/cb",
  "com.example.app:/cb?x=1",
];

/** Variants of https://app.example/cb that an attacker may try. */
// biome-ignore format: a list
const NEARLY = [
  "https://app.example/cb/", "https://app.example/cb?", "https://app.example/cb?x=1", "https://app.example/cb#",
  "https://app.example/cbx", "https://app.example/c", "https://app.example/CB", "https://app.example/%63b",
  "https://app.example/cb/../x", "https://app.example/cb/..;/x", "https://app.example/cb/%2e%2e/x",
  "https://app.example:443/cb", "https://app.example:444/cb", "https://App.example/cb", "HTTPS://app.example/cb",
  "https://app.example./cb", "https://app.example.evil.example/cb", "https://evil.example/app.example/cb",
  "https://app.example@evil.example/cb", "https://evil.example\\@app.example/cb", "https://a@app.example/cb",
  "http://app.example/cb", "//app.example/cb", "https://app.example//cb", " https://app.example/cb", "*",
  "https://app.example/cb ", "https://app.example/cb\t", "javascript:alert(1)//https://app.example/cb",
];

describe("redirect URIs (RFC 9700 §2.1, §4.1)", () => {
  let app: AppClient;

  beforeAll(async () => {
    await makeInstance();
    app = await AppClient.registered({ redirect_uris: HONEST });
  });

  it.each(HONEST)("get responses once they are registered: %s", async (redirectUri) => {
    const url = app.authorizeUrl(CHALLENGE, { redirect_uri: redirectUri, response_type: "token" });
    const refused = await send(url);
    // An https URI that a client registered itself is a link on a page of ours, which the browser follows if the person does.
    const linked = /href="([^"]+error=[^"]+)"/.exec(await refused.text())?.[1]?.replaceAll("&amp;", "&");
    const target = redirectUri.startsWith("https:") ? linked : refused.headers.get("Location");
    const separator = redirectUri.includes("?") ? "&" : "?";
    expect(target?.startsWith(`${redirectUri + separator}error=unsupported_response_type&`)).toBe(true);
    expect((await send(app.authorizeUrl(CHALLENGE, { redirect_uri: redirectUri }))).status).toBe(302);
  });

  it("are refused at registration if they are longer than browsers support", async () => {
    const redirect_uris = [`https://app.example/${"a".repeat(2048)}`];
    await expectOAuthError(await register({ redirect_uris }), 400, "invalid_redirect_uri");
  });

  it.each(REFUSED_REDIRECT_URIS)("are refused at registration, alone and among others: %j", async (redirectUri) => {
    for (const redirect_uris of [[redirectUri], ["https://app.example/cb", redirectUri]]) {
      const response = await register({ redirect_uris, token_endpoint_auth_method: "none" });
      await expectOAuthError(response, 400, "invalid_redirect_uri");
    }
  });

  it.each(NEARLY)("never include %j for a client that registered https://app.example/cb", async (redirectUri) => {
    await expectPage(await send(app.authorizeUrl(CHALLENGE, { redirect_uri: redirectUri })), 400);
  });

  it("can't be URLs of this instance, because Deny would then let our own consent page open them", async () => {
    const origin = "https://acme-be.example.com";
    const own = `${origin}/oauth/authorize?response_type=code&client_id=another&code_challenge=${CHALLENGE}`;
    for (const uri of [own, `${origin}:443/`]) {
      const metadata = { redirect_uris: [uri], token_endpoint_auth_method: "none" };
      await expectOAuthError(await register(metadata, origin), 400, "invalid_redirect_uri");
      // Cursor registers three at once, one of which is an address of a Gatehouse on the same computer.
      const among = await register({ ...metadata, redirect_uris: [uri, "https://app.example/cb"] }, origin);
      expect({ status: among.status, answer: await among.json() }).toMatchObject({
        status: 201,
        answer: { redirect_uris: ["https://app.example/cb"] },
      });
    }
  });

  it("may have any port at a loopback address (RFC 8252 §7.3)", async () => {
    for (const redirect_uri of ["http://127.0.0.1:1/callback", "http://127.0.0.1/callback", "http://[::1]:65535/cb"]) {
      const response = await send(app.authorizeUrl(CHALLENGE, { redirect_uri, response_type: "token" }));
      expectErrorAtApp(response, redirect_uri, "unsupported_response_type");
    }
  });

  it.each([
    "http://localhost:33418/callback",
    "http://[::1]:33418/callback",
    "http://127.0.0.1:33418/callback/",
    "http://127.0.0.1:33418/callback?x=1",
    "http://127.0.0.1:33418/",
    "http://127.0.0.1:33418/Callback",
    "https://127.0.0.1:33418/callback",
    "http://127.0.0.1:99999/callback",
    "http://127.0.0.1:33418@evil.example/callback",
    "http://127.0.0.1:1/../callback",
  ])("may differ in nothing but the port at a loopback address: %s", async (redirect_uri) => {
    const narrow = await AppClient.registered();
    await expectPage(await send(narrow.authorizeUrl(CHALLENGE, { redirect_uri })), 400);
  });

  it("default to the only registered one, and must be named if there are several (OAuth 2.1 §4.1.1)", async () => {
    const single = await AppClient.registered();
    const response = await send(single.authorizeUrl("short", { redirect_uri: undefined }));
    expectErrorAtApp(response, single.redirectUri, "invalid_request");
    await expectPage(await send(app.authorizeUrl(CHALLENGE, { redirect_uri: undefined })), 400);
  });

  it("of one client are refused for another client", async () => {
    const other = await AppClient.registered({ redirect_uris: ["https://other.example/cb"] });
    await expectPage(await send(other.authorizeUrl(CHALLENGE, { redirect_uri: "https://app.example/cb" })), 400);
  });
});
