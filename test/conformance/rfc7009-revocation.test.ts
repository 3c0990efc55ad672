import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, basic, postBody, postForm, search } from "../support/app-client.ts";
import { putTogether } from "../support/forged-tokens.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { makeInstance, send } from "../support/world.ts";

const REVOKE = "/oauth/revoke";

describe("token revocation (RFC 7009)", () => {
  let app: AppClient;
  let confidential: AppClient;

  beforeAll(async () => {
    await makeInstance();
    app = await AppClient.registered();
    confidential = await AppClient.registered({ token_endpoint_auth_method: "client_secret_basic" });
  });

  it.each(["refresh_token", "access_token"] as const)("of the %s ends both tokens, at once (§2.1)", async (kind) => {
    const tokens = await app.tokens();
    const response = await app.revoke(tokens[kind]);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect((await search(tokens.access_token)).status).toBe(401);
    await expectOAuthError(await app.refresh(tokens.refresh_token), 400, "invalid_grant");
  });

  it("of a refresh token that was already rotated ends the grant, and the successor with it", async () => {
    const first = await app.tokens();
    const second = await expectTokens(await app.refresh(first.refresh_token));
    expect((await app.revoke(first.refresh_token)).status).toBe(200);
    expect((await search(second.access_token)).status).toBe(401);
    await expectOAuthError(await app.refresh(second.refresh_token), 400, "invalid_grant");
  });

  it("ends one grant, and no other one of the same person and client", async () => {
    const [one, other] = [await app.tokens(), await app.tokens()];
    await app.revoke(one.refresh_token);
    expect((await search(other.access_token)).status).toBe(200);
    await expectTokens(await app.refresh(other.refresh_token));
  });

  it.each(["refresh_token", "access_token", "urn:x", ""])(
    "finds the token whatever token_type_hint says: %j",
    async (hint) => {
      const tokens = await app.tokens();
      for (const token of [tokens.refresh_token, tokens.access_token]) {
        expect((await app.revoke(token, { token_type_hint: hint })).status).toBe(200);
      }
      expect((await search(tokens.access_token)).status).toBe(401);
    },
  );

  it.each([
    ["a word", "nothing"],
    ["the beginning of a refresh token", "ghr_"],
    ["a JWT of empty objects", "e30.e30.e30"],
    ["a JWT whose key id is an object", putTogether({ alg: "ES256", kid: { toString: 1 } }, {}, "x")],
    ["three parts that are no JWT", "a.b.c"],
    ["the name of a prototype", "__proto__"],
    ["8000 characters", "x".repeat(8000)],
  ])("responds with 200 to an unknown token (§2.2): %s", async (_name, token) => {
    expect((await app.revoke(token)).status).toBe(200);
  });

  it("responds with 200 to a token that was revoked before", async () => {
    const tokens = await app.tokens();
    await app.revoke(tokens.refresh_token);
    expect((await app.revoke(tokens.refresh_token)).status).toBe(200);
  });

  it("requires client authentication, and ends nothing without it (§2.1)", async () => {
    const { access_token: token, refresh_token } = await confidential.tokens();
    const { clientId, secret = "" } = confidential;
    await expectOAuthError(await confidential.revoke(token, { client_secret: undefined }), 401, "invalid_client");
    await expectOAuthError(await confidential.revoke(token, { client_secret: "wrong" }), 401, "invalid_client");
    await expectOAuthError(await postForm(REVOKE, { token }), 401, "invalid_client");
    await expectOAuthError(await postForm(REVOKE, { token, client_id: "nobody" }), 401, "invalid_client");
    const wrong = await postForm(REVOKE, { token }, { Authorization: basic(clientId, "wrong") });
    expect(wrong.headers.get("WWW-Authenticate")).toMatch(/^Basic realm=/);
    await expectOAuthError(wrong, 401, "invalid_client");
    expect((await search(token)).status).toBe(200);
    await expectTokens(await confidential.refresh(refresh_token));
    expect((await postForm(REVOKE, { token }, { Authorization: basic(clientId, secret) })).status).toBe(200);
    expect((await search(token)).status).toBe(401);
  });

  it("refuses a request without a token, and with two", async () => {
    await expectOAuthError(await app.revoke(undefined), 400, "invalid_request");
    const twice = `client_id=${app.clientId}&token=a&token=b`;
    await expectOAuthError(await postBody(REVOKE, twice), 400, "invalid_request");
  });

  it("accepts only POST with a form body", async () => {
    expect((await send(REVOKE)).status).toBe(405);
    const json = JSON.stringify({ token: "x", client_id: app.clientId });
    const response = await postBody(REVOKE, json, { "Content-Type": "application/json" });
    await expectOAuthError(response, 400, "invalid_request");
  });
});
