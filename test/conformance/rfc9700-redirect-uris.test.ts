import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, register } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { expectErrorAtApp, expectOAuthError, expectPage } from "../support/oauth-answers.ts";
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

// biome-ignore format: a list
const REFUSED = [
  "http://app.example/cb", "http://127.0.0.2/cb", "http://0.0.0.0/cb", "http://192.168.0.1/cb", "http://[::2]/cb",
  "http://localhost.app.example/cb", "http://localhost./cb", "http://127.1/cb", "http://2130706433/cb",
  "http://0x7f000001/cb", "http://127.0.0.1.app.example/cb", "http://127.0.0.1@app.example/cb",
  "http://[::ffff:127.0.0.1]/cb", "http://LOCALHOST/cb", "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb",
  "http://127.0.0.1:080/cb", "http://localhost:/cb", "http:/localhost/cb", "http:localhost/cb",
  "javascript:alert(1)", "JavaScript:alert(1)", "java\tscript:alert(1)", " javascript:alert(1)",
  "javascript://app.example/%0aalert(1)", "\u0001javascript:alert(1)", "java\u0000script:alert(1)",
  "data:text/html,x", "DATA:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:https://app.example/1",
  "HTTPS://app.example/cb", "Com.Example.App:/cb", "https:app.example/cb", "https:/app.example/cb", "https://",
  "https://2130706433/cb", "https://0x7f.1/cb", "https://app%2eexample/cb", "https://%61pp.example/cb",
  "https:///app.example/cb", "https://?x", "//app.example/cb", "/cb", "app.example/cb", "cb", "",
  "https://app.example/cb#", "https://app.example/cb#x", "https://*.app.example/cb", "https://app.example/*",
  "microsoft-edge:https://app.example/cb", "microsoft-edge:app.example", "googlechrome://app.example/cb", "feed:app.example",
  "firefox://open-url?url=app.example", "com.example.app:https://app.example/cb", "com.example.app:/cb?to=HTTPS%3A//app.example",
  "https://user@app.example/cb", "https://user:pass@app.example/cb", "https://@app.example/cb",
  "com.example.app://user@host/cb",
  "https://app.example/a/../cb", "https://app.example/./cb", "https://app.example/..;/cb", "https://app.example/..",
  "https://app.example/%2e%2e/cb", "https://app.example/.%2E/cb", "https://app.example/..%2fcb",
  "https://app.example\\@evil.example/cb", "https://app.example\\cb", "https://app.example/c b",
  "https://app.example/cb\r\nX: y", "https://app.example/\u202ecb", "https://äpp.example/cb", 'https://a.example/"',
];

/** What an attacker makes of https://app.example/cb. */
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

  it.each(HONEST)("sends answers to %s once it is registered", async (redirectUri) => {
    const url = app.authorizeUrl(CHALLENGE, { redirect_uri: redirectUri, response_type: "token" });
    const refused = await send(url);
    // An https address that anybody registered is a link on a page of ours; the browser follows it when the person does.
    const linked = /href="([^"]+error=[^"]+)"/.exec(await refused.text())?.[1]?.replaceAll("&amp;", "&");
    const target = redirectUri.startsWith("https:") ? linked : refused.headers.get("Location");
    const separator = redirectUri.includes("?") ? "&" : "?";
    expect(target?.startsWith(`${redirectUri + separator}error=unsupported_response_type&`)).toBe(true);
    expect((await send(app.authorizeUrl(CHALLENGE, { redirect_uri: redirectUri }))).status).toBe(302);
  });

  it("refuses to register what is longer than browsers carry", async () => {
    const redirect_uris = [`https://app.example/${"a".repeat(2048)}`];
    await expectOAuthError(await register({ redirect_uris }), 400, "invalid_redirect_uri");
  });

  it.each(REFUSED)("refuses to register %j, alone and among others", async (redirectUri) => {
    for (const redirect_uris of [[redirectUri], ["https://app.example/cb", redirectUri]]) {
      const response = await register({ redirect_uris, token_endpoint_auth_method: "none" });
      await expectOAuthError(response, 400, "invalid_redirect_uri");
    }
  });

  it.each(NEARLY)("never redirects to %j for a client that registered https://app.example/cb", async (redirectUri) => {
    await expectPage(await send(app.authorizeUrl(CHALLENGE, { redirect_uri: redirectUri })), 400);
  });

  it("refuses once more at authorization what came into the database some other way", async () => {
    const planted = await AppClient.registered();
    await env.DB.prepare("UPDATE clients SET redirect_uris = ?2 WHERE id = ?1")
      .bind(planted.clientId, JSON.stringify(REFUSED))
      .run();
    for (const redirect_uri of REFUSED) {
      await expectPage(await send(planted.authorizeUrl(CHALLENGE, { redirect_uri })), 400);
    }
  });

  it("never lead back here: behind Deny our own consent page would open an address of ours, as its own navigation", async () => {
    const origin = "https://acme-be.example.com";
    const own = `${origin}/oauth/authorize?response_type=code&client_id=another&code_challenge=${CHALLENGE}`;
    for (const uri of [own, `${origin}:443/`]) {
      const metadata = { redirect_uris: ["https://app.example/cb", uri], token_endpoint_auth_method: "none" };
      await expectOAuthError(await register(metadata, origin), 400, "invalid_redirect_uri");
    }
    const planted = await AppClient.registered({ redirect_uris: ["https://app.example/cb"] }, origin);
    await env.DB.prepare("UPDATE clients SET redirect_uris = ?2 WHERE id = ?1")
      .bind(planted.clientId, JSON.stringify([own]))
      .run();
    for (const redirect_uri of [own, undefined]) {
      await expectPage(await send(planted.authorizeUrl(CHALLENGE, { redirect_uri })), 400);
    }
  });

  it("leaves the port of a loopback address to the app (RFC 8252 §7.3)", async () => {
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
  ])("leaves nothing but the port of a loopback address free: %s", async (redirect_uri) => {
    const narrow = await AppClient.registered();
    await expectPage(await send(narrow.authorizeUrl(CHALLENGE, { redirect_uri })), 400);
  });

  it("takes the only registered URI when none is named, and asks when there are several (OAuth 2.1 §4.1.1)", async () => {
    const single = await AppClient.registered();
    const response = await send(single.authorizeUrl("short", { redirect_uri: undefined }));
    expectErrorAtApp(response, single.redirectUri, "invalid_request");
    await expectPage(await send(app.authorizeUrl(CHALLENGE, { redirect_uri: undefined })), 400);
  });

  it("keeps one client's redirect URIs from another client", async () => {
    const other = await AppClient.registered({ redirect_uris: ["https://other.example/cb"] });
    await expectPage(await send(other.authorizeUrl(CHALLENGE, { redirect_uri: "https://app.example/cb" })), 400);
  });
});
