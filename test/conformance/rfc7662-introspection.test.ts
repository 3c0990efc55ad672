import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, basic, type Changes, postBody, postForm } from "../support/app-client.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { changeSettings, makeInstance, ORIGIN, send, setDeactivated, travel } from "../support/world.ts";
import type { InstanceRecord } from "#instance/instances.ts";

const INTROSPECT = "/oauth/introspect";

describe("token introspection (RFC 7662)", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance();
    app = await AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: "client_secret_post" });
  });
  afterEach(() => void vi.useRealTimers());

  function introspect(token: string | undefined, changes: Changes = {}, by = app): Promise<Response> {
    return postForm(INTROSPECT, { client_id: by.clientId, client_secret: by.secret, token, ...changes });
  }

  /** Expects exactly the response that RFC 7662 §2.2 requires for every inactive token. */
  async function expectInactive(token: string | undefined, by = app): Promise<void> {
    const response = await introspect(token, {}, by);
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.text()).toBe('{"active":false}');
  }

  async function expectActive(token: string | undefined): Promise<Record<string, unknown>> {
    const response = await introspect(token);
    expect(response.status).toBe(200);
    const answer = await response.json<Record<string, unknown>>();
    expect(answer["active"]).toBe(true);
    return answer;
  }

  it("returns the claims of an access token", async () => {
    const { access_token } = await app.tokens();
    const { claims } = takeApart(access_token);
    const members = ["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "client_id", "scope"];
    const said = Object.fromEntries(members.filter((name) => name in claims).map((name) => [name, claims[name]]));
    expect(await expectActive(access_token)).toEqual({ active: true, token_type: "Bearer", ...said });
    expect(said).toMatchObject({ iss: ORIGIN, aud: ORIGIN, client_id: app.clientId });
  });

  it("returns a refresh token's client, person, scope and expiry, but neither token_type nor aud", async () => {
    const { refresh_token, access_token, scope } = await app.tokens();
    const answer = await expectActive(refresh_token);
    expect(answer).toMatchObject({ iss: ORIGIN, client_id: app.clientId, sub: takeApart(access_token).claims["sub"] });
    expect(String(answer["scope"]).split(" ").sort()).toEqual(scope.split(" ").sort());
    expect(answer["exp"]).toBeGreaterThan(Date.now() / 1000);
    expect(answer).not.toHaveProperty("token_type");
    expect(answer).not.toHaveProperty("aud");
  });

  it("accepts Basic credentials as well", async () => {
    const { access_token: token } = await app.tokens();
    const header = { Authorization: basic(app.clientId, app.secret ?? "") };
    expect(await (await postForm(INTROSPECT, { token }, header)).json()).toMatchObject({ active: true });
  });

  it("requires client authentication (§2.1)", async () => {
    const { access_token: token } = await app.tokens();
    await expectOAuthError(await postForm(INTROSPECT, { token }), 401, "invalid_client");
    await expectOAuthError(await introspect(token, { client_secret: undefined }), 401, "invalid_client");
    await expectOAuthError(await introspect(token, { client_secret: "" }), 401, "invalid_client");
    await expectOAuthError(await introspect(token, { client_secret: "wrong" }), 401, "invalid_client");
    await expectOAuthError(await introspect(token, { client_id: "nobody" }), 401, "invalid_client");
    const wrong = await postForm(INTROSPECT, { token }, { Authorization: basic(app.clientId, "wrong") });
    expect(wrong.headers.get("WWW-Authenticate")).toMatch(/^Basic realm=/);
    await expectOAuthError(wrong, 401, "invalid_client");
  });

  it("refuses public clients, even for their own tokens, because anybody can claim to be one", async () => {
    const open = await AppClient.registered();
    const { access_token } = await open.tokens();
    await expectOAuthError(await introspect(access_token, {}, open), 401, "invalid_client");
    await expectOAuthError(await introspect(access_token, { client_secret: "made up" }, open), 401, "invalid_client");
  });

  it("reports another client's tokens as inactive", async () => {
    const other = await AppClient.registered({ token_endpoint_auth_method: "client_secret_basic" });
    const tokens = await app.tokens();
    await expectInactive(tokens.access_token, other);
    await expectInactive(tokens.refresh_token, other);
  });

  it("reports both tokens of a revoked grant as inactive", async () => {
    const tokens = await app.tokens();
    await app.revoke(tokens.access_token);
    await expectInactive(tokens.access_token);
    await expectInactive(tokens.refresh_token);
  });

  it("reports a rotated refresh token as inactive, and its successor as active", async () => {
    const first = await app.tokens();
    const second = await expectTokens(await app.refresh(first.refresh_token));
    await expectInactive(first.refresh_token);
    await expectActive(second.refresh_token);
    await expectActive(first.access_token);
  });

  it("reports an access token as inactive after it expires, and a refresh token after its idle time", async () => {
    const tokens = await app.tokens();
    travel(tokens.expires_in - 5);
    await expectActive(tokens.access_token);
    travel(5);
    await expectInactive(tokens.access_token);
    await expectActive(tokens.refresh_token);
    travel(30 * 24 * 3600);
    await expectInactive(tokens.refresh_token);
  });

  it("reports a deactivated person's tokens as inactive, even after the person is reactivated", async () => {
    const tokens = await app.tokens("carla");
    await setDeactivated(instance, "carla@acme.example");
    await expectInactive(tokens.access_token);
    await expectInactive(tokens.refresh_token);
    await setDeactivated(instance, "carla@acme.example", false);
    await expectInactive(tokens.access_token);
    await expectInactive(tokens.refresh_token);
    await expectActive((await app.tokens("carla")).access_token);
  });

  it.each([
    ["a word", "nothing"],
    ["the beginning of a refresh token", "ghr_"],
    ["a JWT of empty objects", "e30.e30.e30"],
    ["three parts that are no JWT", "a.b.c"],
    ["the name of a prototype", "__proto__"],
    ["8000 characters", "x".repeat(8000)],
  ])("reports an unknown token as inactive: %s", async (_name, token) => {
    await expectInactive(token);
  });

  it("reports an unbound access token as inactive while the instance requires DPoP", async () => {
    const { access_token, refresh_token } = await app.tokens();
    await changeSettings("acme", { appRequirements: ["dpop"] });
    await expectInactive(access_token);
    await expectActive(refresh_token);
    await changeSettings("acme", { appRequirements: undefined });
  });

  it("reports a token as inactive if a character differs or if another instance issued it", async () => {
    const { access_token: token, refresh_token: refresh = "" } = await app.tokens();
    for (const genuine of [token, refresh]) {
      const at = genuine.length - 10;
      const changed = genuine.slice(0, at) + (genuine[at] === "A" ? "B" : "A") + genuine.slice(at + 1);
      for (const wrong of [changed, genuine.slice(0, -1), `${genuine}A`]) await expectInactive(wrong);
    }
    await makeInstance("other");
    const elsewhere = await (await AppClient.registered({}, "http://other.localhost")).tokens();
    await expectInactive(elsewhere.access_token);
    await expectInactive(elsewhere.refresh_token);
  });

  it("doesn't use up a refresh token", async () => {
    const tokens = await app.tokens();
    for (let n = 0; n < 3; n += 1) await expectActive(tokens.refresh_token);
    await expectTokens(await app.refresh(tokens.refresh_token));
  });

  it("accepts only POST with one token, and is refused while OAuth is off", async () => {
    await expectOAuthError(await introspect(undefined), 400, "invalid_request");
    const twice = `client_id=${app.clientId}&client_secret=${app.secret}&token=a&token=b`;
    await expectOAuthError(await postBody(INTROSPECT, twice), 400, "invalid_request");
    expect((await send(INTROSPECT)).status).toBe(405);
    await changeSettings("acme", { oauthEnabled: false });
    await expectOAuthError(await introspect("x"), 403, "oauth_not_enabled");
    await changeSettings("acme", { oauthEnabled: true });
  });
});
