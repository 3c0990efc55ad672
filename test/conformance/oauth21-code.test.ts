import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, search } from "../support/app-client.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { disableClient, makeInstance, setDeactivated, travel } from "../support/world.ts";

describe("authorization codes (OAuth 2.1 §4.1.3, RFC 9700 §2.1.1)", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance();
    app = await AppClient.registered();
  });
  afterEach(() => void vi.useRealTimers());

  it("give tokens to exactly one of 100 parallel redemptions", async () => {
    const authorized = await app.authorize();
    const responses = await Promise.all(Array.from({ length: 100 }, () => app.redeem(authorized)));
    const statuses = responses.map((response) => response.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(99);
  });

  it("end the tokens that they gave when they are redeemed again", async () => {
    const authorized = await app.authorize();
    const tokens = await expectTokens(await app.redeem(authorized));
    expect((await search(tokens.access_token)).status).toBe(200);
    await expectOAuthError(await app.redeem(authorized), 400, "invalid_grant");
    expect((await search(tokens.access_token)).status).toBe(401);
    await expectOAuthError(await app.refresh(tokens.refresh_token), 400, "invalid_grant");
  });

  it("end no tokens when another client or a request with a wrong verifier redeems them again", async () => {
    const authorized = await app.authorize();
    const tokens = await expectTokens(await app.redeem(authorized));
    const thief = await AppClient.registered();
    await expectOAuthError(await thief.redeem(authorized), 400, "invalid_grant");
    await expectOAuthError(await app.redeem({ ...authorized, verifier: "x".repeat(43) }), 400, "invalid_grant");
    expect((await search(tokens.access_token)).status).toBe(200);
    await expectTokens(await app.refresh(tokens.refresh_token));
  });

  it("aren't used up by a request with anything wrong", async () => {
    const authorized = await app.authorize();
    const { code, verifier } = authorized;
    const other = await AppClient.registered();
    const wrong: readonly [Response, number, string][] = [
      [await other.redeem(authorized), 400, "invalid_grant"],
      [await app.redeem(authorized, { client_id: "nobody" }), 401, "invalid_client"],
      [await app.redeem(authorized, { client_id: undefined }), 401, "invalid_client"],
      [await app.redeem(authorized, { client_secret: "invented" }), 401, "invalid_client"],
      [await app.redeem(authorized, { redirect_uri: "http://127.0.0.1:1/callback" }), 400, "invalid_grant"],
      [await app.redeem(authorized, { redirect_uri: `${app.redirectUri}/` }), 400, "invalid_grant"],
      [await app.redeem({ code, verifier: "x".repeat(43) }), 400, "invalid_grant"],
      [await app.redeem({ code, verifier }, { code_verifier: undefined }), 400, "invalid_grant"],
      [await app.redeem(authorized, { resource: "https://api.example" }), 400, "invalid_target"],
      [await app.redeem(authorized, { grant_type: "password" }), 400, "unsupported_grant_type"],
    ];
    for (const [response, status, error] of wrong) await expectOAuthError(response, status, error);
    await expectTokens(await app.redeem(authorized));
  });

  it("require the secret of a confidential client", async () => {
    const confidential = await AppClient.registered({ token_endpoint_auth_method: "client_secret_post" });
    const authorized = await confidential.authorize();
    for (const client_secret of [
      undefined,
      "",
      "wrong",
      `${confidential.secret}x`,
      confidential.secret?.slice(0, -1),
    ]) {
      await expectOAuthError(await confidential.redeem(authorized, { client_secret }), 401, "invalid_client");
    }
    await expectTokens(await confidential.redeem(authorized));
  });

  it("are redeemed without a redirect URI, but not with another one (OAuth 2.1 §10.2)", async () => {
    await expectTokens(await app.redeem(await app.authorize(), { redirect_uri: undefined }));
    const redirect_uri = "http://127.0.0.1:33418/another";
    const several = await AppClient.registered({ redirect_uris: [app.redirectUri, redirect_uri] });
    const authorized = await several.authorize();
    await expectOAuthError(await several.redeem(authorized, { redirect_uri }), 400, "invalid_grant");
    await expectTokens(await several.redeem(authorized));
  });

  it("are valid for at most 60 seconds", async () => {
    const inTime = await app.authorize();
    travel(58);
    await expectTokens(await app.redeem(inTime));
    vi.useRealTimers();
    const late = await app.authorize();
    travel(60);
    await expectOAuthError(await app.redeem(late), 400, "invalid_grant");
  });

  it("give no tokens once the client is disabled or the person is deactivated", async () => {
    const disabled = await AppClient.registered();
    const ofDisabled = await disabled.authorize();
    await disableClient(instance, disabled.clientId);
    await expectOAuthError(await disabled.redeem(ofDisabled), 401, "invalid_client");

    const ofDeactivated = await app.authorize("farid");
    await setDeactivated(instance, "farid@acme.example");
    await expectOAuthError(await app.redeem(ofDeactivated), 400, "invalid_grant");
  });
});
