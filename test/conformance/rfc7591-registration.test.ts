import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, postBody, REDIRECT_URI, register } from "../support/app-client.ts";
import { expectOAuthError } from "../support/oauth-answers.ts";
import { changeSettings, makeInstance, ORIGIN, send } from "../support/world.ts";

/** The metadata that hosts of the Model Context Protocol register, as they send it. */
const HOSTS: Readonly<Record<string, Readonly<Record<string, unknown>> & { redirect_uris: string[] }>> = {
  "a web assistant": {
    client_name: "Claude",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "SEARCH CHAT DOCUMENTS offline_access",
  },
  "an editor with mixed redirect URIs and grants": {
    client_name: "Visual Studio Code",
    client_uri: "https://code.visualstudio.com",
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    response_types: ["code"],
    redirect_uris: [
      "https://insiders.vscode.dev/redirect",
      "https://vscode.dev/redirect",
      "http://127.0.0.1/",
      "http://127.0.0.1:33418/",
    ],
    token_endpoint_auth_method: "none",
    application_type: "native",
  },
  "an editor with a scheme of its own": {
    client_name: "Cursor",
    redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  "a command line bridge": {
    client_name: "MCP CLI Proxy",
    client_uri: "https://github.com/geelen/mcp-remote",
    redirect_uris: ["http://localhost:3334/oauth/callback"],
    software_id: "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d",
    software_version: "0.1.29",
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  },
  "a web app with a secret": {
    client_name: "ChatGPT",
    redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
    token_endpoint_auth_method: "client_secret_post",
    contacts: ["support@example.com"],
    logo_uri: "https://chatgpt.com/logo.png",
    tos_uri: "https://chatgpt.com/tos",
    jwks: { keys: [] },
  },
  "an app that asks for OpenID scopes out of habit": {
    redirect_uris: [REDIRECT_URI],
    scope: "openid profile email SEARCH",
  },
  "the least there can be": { redirect_uris: [REDIRECT_URI] },
};

interface Registered {
  readonly client_id: string;
  readonly client_name: string;
  readonly client_secret?: string;
  readonly scope: string;
  readonly redirect_uris: string[];
  readonly token_endpoint_auth_method: string;
}

async function registered(metadata: Record<string, unknown>): Promise<Registered> {
  const response = await register({ redirect_uris: [REDIRECT_URI], ...metadata });
  expect(response.status).toBe(201);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  return response.json<Registered>();
}

describe("dynamic client registration (RFC 7591)", () => {
  beforeAll(async () => {
    await makeInstance();
  });
  afterEach(async () => {
    await changeSettings("acme", { registration: "open", dynamicScopes: ["SEARCH", "CHAT", "offline_access"] });
  });

  it.each(Object.entries(HOSTS))("accepts %s, and then its authorization requests", async (_, metadata) => {
    const answer = await registered(metadata);
    expect(answer.redirect_uris).toEqual(metadata.redirect_uris);
    expect(answer.token_endpoint_auth_method).toBe(metadata["token_endpoint_auth_method"] ?? "client_secret_basic");
    for (const redirect_uri of metadata.redirect_uris) {
      const query = new URLSearchParams({
        response_type: "code",
        client_id: answer.client_id,
        redirect_uri,
        scope: answer.scope,
        code_challenge: CHALLENGE,
        code_challenge_method: "S256",
      });
      const response = await send(`/oauth/authorize?${query.toString()}`);
      expect(new URL(response.headers.get("Location") ?? "").searchParams.get("error")).toBeNull();
    }
  });

  it("gives the scopes for registered clients by default, and narrows a wider request", async () => {
    expect((await registered({})).scope).toBe("SEARCH CHAT offline_access");
    expect((await registered({ scope: "DOCUMENTS search" })).scope).toBe("search");
    await changeSettings("acme", { dynamicScopes: ["SEARCH"] });
    expect((await registered({})).scope).toBe("SEARCH");
    expect((await registered({ scope: "SEARCH CHAT offline_access" })).scope).toBe("SEARCH");
  });

  it("refuses metadata with a repeated member, at any depth", async () => {
    for (const body of [
      `{"redirect_uris":["${REDIRECT_URI}"],"redirect_uris":["https://bad.example/cb"]}`,
      `{"redirect_uris":["${REDIRECT_URI}"],"unknown":{"a":1,"a":2}}`,
    ]) {
      const headers = { "Content-Type": "application/json", "CF-Connecting-IP": "192.0.2.250" };
      const response = await send("/oauth/register", { method: "POST", headers, body });
      await expectOAuthError(response, 400, "invalid_client_metadata");
    }
  });

  it("refuses several long redirect URIs, and a large body", async () => {
    const long = Array.from({ length: 20 }, (_, n) => `https://app.example/${n}/${"x".repeat(2000)}`);
    await expectOAuthError(await register({ redirect_uris: long.slice(0, 3) }), 400, "invalid_redirect_uri");
    await expectOAuthError(await register({ redirect_uris: long }), 413, "request_too_large");
  });

  it.each([
    ["Zal\u0335\u0321\u0322\u0327\u0328\u031b\u0337go", "Zal\u0335\u0337go"],
    ["\u0301\u0302Claude", "Claude"],
    ["Clau\u0000de\u202e\u200b", "Claude"],
    ["Two\nlines\tin one", "Two lines in one"],
    ["Ti\u1ebfng Vi\u1ec7t", "Ti\u1ebfng Vi\u1ec7t"],
    ["\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940"],
  ])("registers the name %j as %j", async (client_name, shown) => {
    expect((await registered({ client_name })).client_name).toBe(shown);
  });

  it("treats an empty scope as absent (RFC 6749 §3.1)", async () => {
    expect((await registered({ scope: "" })).scope).toBe("SEARCH CHAT offline_access");
  });

  it.each([null, ""])("treats members that are %j as absent, as RFC 7592 §2.2 does", async (nothing) => {
    const names = ["scope", "client_name", "client_uri", "tos_uri", "policy_uri", "logo_uri", "jwks", "jwks_uri"];
    const choices = ["token_endpoint_auth_method", "grant_types", "response_types", "application_type"];
    const absent = Object.fromEntries([...names, ...choices].map((name) => [name, nothing]));
    const answer = await registered({ ...absent, client_secret: "" });
    expect(answer).toMatchObject({
      client_name: "Unnamed app (127.0.0.1:33418)",
      scope: "SEARCH CHAT offline_access",
      token_endpoint_auth_method: "client_secret_basic",
    });
    expect(Object.values(answer)).not.toContain(nothing);
  });

  it("gives a secret only to confidential clients", async () => {
    for (const method of ["client_secret_basic", "client_secret_post"]) {
      const { client_secret = "" } = await registered({ token_endpoint_auth_method: method });
      expect(client_secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    }
    expect(await registered({ token_endpoint_auth_method: "none" })).not.toHaveProperty("client_secret");
  });

  const KEYS = { jwks_uri: "https://app.example/jwks.json" };

  it.each([
    [["none"], {}, "none"],
    [["none", "client_secret_basic"], {}, "none"],
    [["client_secret_post", "none"], {}, "client_secret_post"],
    [["tls_client_auth", "client_secret_jwt", "none"], {}, "none"],
    [["none", "private_key_jwt"], {}, "none"],
    [["none", "private_key_jwt"], KEYS, "private_key_jwt"],
    [[], {}, "client_secret_basic"],
    ["none", {}, "client_secret_basic"],
  ])(
    "chooses a method that the client lists: of %j, with %j, %s",
    async (token_endpoint_auth_methods_supported, keys, method) => {
      const answer = await registered({ token_endpoint_auth_methods_supported, ...keys });
      expect(answer.token_endpoint_auth_method).toBe(method);
      expect("client_secret" in answer).toBe(method.startsWith("client_secret"));
    },
  );

  it("follows the one method that a client prefers, whatever else it lists", async () => {
    const both = { token_endpoint_auth_method: "client_secret_post", token_endpoint_auth_methods_supported: ["none"] };
    expect((await registered(both)).token_endpoint_auth_method).toBe("client_secret_post");
  });

  it("chooses the client's id and secret itself", async () => {
    const chosen = { client_id: "chosen", client_secret: "chosen", client_id_issued_at: 1 };
    const answer = await registered({ ...chosen, token_endpoint_auth_method: "client_secret_post" });
    expect(answer.client_id).not.toBe("chosen");
    expect(answer.client_secret).not.toBe("chosen");
  });

  it.each([
    ["no redirect URI", { redirect_uris: undefined }],
    ["an empty list of redirect URIs", { redirect_uris: [] }],
    ["21 redirect URIs", { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://app.example/${n}`) }],
    ["redirect URIs that are no list", { redirect_uris: REDIRECT_URI }],
    ["a redirect URI that is no text", { redirect_uris: [{}] }],
  ])("refuses %s", async (_, metadata) => {
    await expectOAuthError(await register(metadata), 400, "invalid_redirect_uri");
  });

  it.each([
    { token_endpoint_auth_method: "private_key_jwt" },
    { token_endpoint_auth_method: 1 },
    { grant_types: ["implicit"] },
    { grant_types: ["refresh_token"] },
    { grant_types: "authorization_code" },
    { response_types: ["token"] },
    { application_type: "desktop" },
    { client_name: { en: "App" } },
    { token_endpoint_auth_methods_supported: ["tls_client_auth"] },
    { token_endpoint_auth_methods_supported: ["private_key_jwt"] },
    { scope: ["SEARCH"] },
    { scope: "DOCUMENTS" },
  ])("refuses %j", async (metadata) => {
    const response = await register({ redirect_uris: [REDIRECT_URI], ...metadata });
    await expectOAuthError(response, 400, "invalid_client_metadata");
  });

  it.each(["", "null", "[]", "1", '"x"', "{", "redirect_uris=x"])("refuses the body %j", async (body) => {
    const response = await postBody("/oauth/register", body, { "Content-Type": "application/json" });
    expect(response.status).toBe(400);
    expect((await response.json<{ error: string }>()).error).toMatch(/^invalid_(client_metadata|redirect_uri)$/);
  });

  it("refuses a body whose Content-Type isn't JSON", async () => {
    const body = JSON.stringify({ redirect_uris: [REDIRECT_URI] });
    for (const type of ["application/x-www-form-urlencoded", "text/plain", ""]) {
      const response = await postBody("/oauth/register", body, { "Content-Type": type });
      await expectOAuthError(response, 400, "invalid_client_metadata");
    }
  });

  it("accepts a body of 32 KB, and refuses one that is a byte longer", async () => {
    const metadata = { redirect_uris: [REDIRECT_URI], padding: "" };
    const room = 32 * 1024 - JSON.stringify(metadata).length;
    expect((await register({ ...metadata, padding: "x".repeat(room) })).status).toBe(201);
    const response = await register({ ...metadata, padding: "x".repeat(room + 1) });
    await expectOAuthError(response, 413, "request_too_large");
  });

  it("limits registrations per IP address, with 429 and Retry-After", async () => {
    const body = JSON.stringify({ redirect_uris: [REDIRECT_URI] });
    const from = (address: string) =>
      postBody("/oauth/register", body, { "Content-Type": "application/json", "CF-Connecting-IP": address });
    let response = await from("198.51.100.7");
    for (let n = 0; n < 130 && response.status === 201; n += 1) response = await from("198.51.100.7");
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    await expectOAuthError(response, 429, "slow_down");
    expect((await from("198.51.100.8")).status).toBe(201);
  });

  /** Many people may share one IP address, and hosts send the same registration everywhere and at every start. */
  it("gives a caller that repeats a registration no control over the earlier client (RFC 7592 §3)", async () => {
    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none", client_name: "Shared" };
    const app = await AppClient.registered(metadata, ORIGIN, "198.51.100.9");
    const repeated = await register(metadata, ORIGIN, "198.51.100.9");
    const { registration_access_token } = await repeated.json<{ registration_access_token?: string }>();
    const tokens = await app.tokens();
    const answer = await send(`/oauth/register/${app.clientId}`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${registration_access_token}` },
    });
    expect(answer.status).toBe(401);
    expect((await app.refresh(tokens.refresh_token)).status).toBe(200);
  });

  it("is refused while an administrator has it off, and what people allowed existing clients still works", async () => {
    const app = await AppClient.registered();
    const { refresh_token } = await app.tokens();
    await changeSettings("acme", { registration: "off" });
    await expectOAuthError(await register({ redirect_uris: [REDIRECT_URI] }), 403, "registration_not_enabled");
    expect((await app.refresh(refresh_token)).status).toBe(200);
  });
});
