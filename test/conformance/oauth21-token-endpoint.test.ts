import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, type Authorized, basic, postBody, postForm } from "../support/app-client.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { makeInstance, send } from "../support/world.ts";

const TOKEN = "/oauth/token";

describe("the token endpoint (OAuth 2.1 §3.2)", () => {
  let app: AppClient;
  let confidential: AppClient;
  let authorized: Authorized;

  beforeAll(async () => {
    await makeInstance();
    app = await AppClient.registered();
    confidential = await AppClient.registered({ token_endpoint_auth_method: "client_secret_basic" });
    authorized = await app.authorize();
  });

  function codeForm(client: AppClient, { code, verifier }: Authorized) {
    return { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: client.redirectUri };
  }

  function without(form: Record<string, string>, name: string): string {
    const body = new URLSearchParams(form);
    body.delete(name);
    return body.toString();
  }

  it.each(["GET", "PUT", "DELETE", "PATCH"])("accepts POST, and not %s", async (method) => {
    const response = await send(TOKEN, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toContain("POST");
  });

  it.each([
    ["application/json", JSON.stringify({ grant_type: "authorization_code" })],
    ["text/plain", "grant_type=authorization_code"],
    ["multipart/form-data; boundary=x", "--x\r\n\r\n--x--"],
    ["application/x-www-form-urlencodedx", "grant_type=authorization_code"],
    ["", "grant_type=authorization_code"],
  ])("refuses a body of type %j", async (contentType, body) => {
    await expectOAuthError(await postBody(TOKEN, body, { "Content-Type": contentType }), 400, "invalid_request");
  });

  it("takes no parameters from the query", async () => {
    const query = new URLSearchParams({ ...codeForm(app, authorized), client_id: app.clientId }).toString();
    await expectOAuthError(await postForm(`${TOKEN}?${query}`, {}), 400, "invalid_request");
  });

  it.each<[string, (form: Record<string, string>) => string]>([
    ["no grant_type", (form) => without(form, "grant_type")],
    ["another grant_type", (form) => new URLSearchParams({ ...form, grant_type: "password" }).toString()],
    ["no code", (form) => without(form, "code")],
    ["a repeated parameter", (form) => `${new URLSearchParams(form).toString()}&code=x`],
    ["an unknown resource", (form) => new URLSearchParams({ ...form, resource: "https://other.example" }).toString()],
    ["no verifier", (form) => without(form, "code_verifier")],
    ["an unknown code", (form) => new URLSearchParams({ ...form, code: "x" }).toString()],
  ])("reports a wrong client secret before it reports %s", async (_, make) => {
    const body = make(codeForm(confidential, authorized));
    const wrong = { Authorization: basic(confidential.clientId, "wrong") };
    await expectOAuthError(await postBody(TOKEN, body, wrong), 401, "invalid_client");
    const right = { Authorization: basic(confidential.clientId, confidential.secret ?? "") };
    expect((await postBody(TOKEN, body, right)).status).toBe(400);
  });

  it.each(["grant_type", "client_id", "code", "code_verifier", "redirect_uri", "unknown"])(
    "refuses a repeated %s, even with the same value",
    async (name) => {
      const form = { ...codeForm(app, authorized), client_id: app.clientId, unknown: "x" };
      const body = new URLSearchParams(form);
      body.append(name, body.get(name) ?? "");
      await expectOAuthError(await postBody(TOKEN, body.toString()), 400, "invalid_request");
    },
  );

  it.each(["grant_type", "code"])("refuses a missing %s", async (name) => {
    await expectOAuthError(await app.redeem(authorized, { [name]: undefined }), 400, "invalid_request");
    await expectOAuthError(await app.redeem(authorized, { [name]: "" }), 400, "invalid_request");
  });

  it("refuses a missing refresh token", async () => {
    await expectOAuthError(await app.refresh(undefined), 400, "invalid_request");
  });

  it.each(["password", "implicit", "Authorization_Code", "__proto__"])(
    "refuses the grant type %s",
    async (grant_type) => {
      await expectOAuthError(await app.redeem(authorized, { grant_type }), 400, "unsupported_grant_type");
    },
  );

  it("refuses an unknown client with 401, so that hosts register again", async () => {
    await expectOAuthError(await app.redeem(authorized, { client_id: "nobody" }), 401, "invalid_client");
    await expectOAuthError(await app.refresh("ghr_x", { client_id: "nobody" }), 401, "invalid_client");
  });

  it("sends a Basic challenge only if the request had an Authorization header (RFC 6749 §5.2)", async () => {
    const form = codeForm(app, authorized);
    for (const authorization of [basic("nobody", "x"), basic(confidential.clientId, "wrong"), "Basic !", "Bearer x"]) {
      const response = await postForm(TOKEN, form, { Authorization: authorization });
      expect(response.headers.get("WWW-Authenticate")).toMatch(/^Basic realm=/);
      await expectOAuthError(response, 401, "invalid_client");
    }
    const inBody = await app.redeem(authorized, { client_id: "nobody" });
    expect(inBody.headers.get("WWW-Authenticate")).toBeNull();
  });

  it("refuses two ways of client authentication at once (OAuth 2.1 §2.4)", async () => {
    const form = codeForm(app, authorized);
    const { clientId, secret = "" } = confidential;
    const headers = { Authorization: basic(clientId, secret) };
    await expectOAuthError(await postForm(TOKEN, { ...form, client_secret: secret }, headers), 400, "invalid_request");
    const another = { ...form, client_id: app.clientId };
    await expectOAuthError(await postForm(TOKEN, another, headers), 400, "invalid_request");
  });

  it("form-decodes both parts of Basic credentials (RFC 6749 §2.3.1)", async () => {
    const { clientId, secret = "" } = confidential;
    const everyByte = (text: string) => Array.from(text, (c) => `%${c.charCodeAt(0).toString(16)}`).join("");
    const headers = { Authorization: `Basic ${btoa(`${everyByte(clientId)}:${everyByte(secret)}`)}` };
    const form = codeForm(confidential, await confidential.authorize());
    await expectTokens(await postForm(TOKEN, form, headers));
  });

  it("accepts client_id in addition to Basic credentials if it names the same client", async () => {
    const { clientId, secret = "" } = confidential;
    const form = { ...codeForm(confidential, await confidential.authorize()), client_id: clientId };
    await expectTokens(await postForm(TOKEN, form, { Authorization: basic(clientId, secret) }));
  });

  it("returns tokens as JSON with no-store, and never redirects", async () => {
    const response = await app.redeem(await app.authorize());
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Location")).toBeNull();
    expect(response.headers.get("Content-Type")).toMatch(/^application\/json/);
    const answer = await expectTokens(response);
    expect(Object.keys(answer).sort()).toEqual(["access_token", "expires_in", "refresh_token", "scope", "token_type"]);
  });

  it("accepts requests of web apps, without their cookies", async () => {
    const preflight = await send(TOKEN, {
      method: "OPTIONS",
      headers: { Origin: "https://app.example", "Access-Control-Request-Method": "POST" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const response = await postForm(TOKEN, {}, { Origin: "https://app.example" });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
    expect(response.headers.get("Set-Cookie")).toBeNull();
  });
});
