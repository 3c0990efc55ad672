import { decodeJwt } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, postBody } from "../support/app-client.ts";
import { expectErrorAtApp, expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { makeInstance, ORIGIN, send } from "../support/world.ts";

const UNKNOWN = [
  "https://api.example",
  "http://other.localhost",
  "http://localhost",
  "https://acme.localhost",
  `${ORIGIN}:8787`,
  `${ORIGIN}.evil.example`,
  `${ORIGIN}//`,
  `${ORIGIN}/#x`,
  `${ORIGIN}?x`,
  `${ORIGIN}/unknown`,
  ORIGIN.toUpperCase(),
  "acme.localhost",
  "urn:x",
  "*",
];

describe("resource indicators (RFC 8707)", () => {
  let app: AppClient;

  beforeAll(async () => {
    await makeInstance();
    await makeInstance("other");
    app = await AppClient.registered();
  });

  it.each([undefined, "", ORIGIN, `${ORIGIN}/`])(
    "gives a token for the Client API when asked for %j",
    async (resource) => {
      const { access_token } = await app.tokens("ben", { resource });
      expect(decodeJwt(access_token).aud).toBe(ORIGIN);
    },
  );

  it.each(UNKNOWN)("refuses %s at authorization, before anybody is asked (§2)", async (resource) => {
    const response = await send(app.authorizeUrl(CHALLENGE, { resource }));
    expectErrorAtApp(response, app.redirectUri, "invalid_target");
  });

  it("refuses an unknown resource beside a known one", async () => {
    const known = encodeURIComponent(ORIGIN);
    for (const pair of [`resource=${known}&resource=urn%3Ax`, `resource=urn%3Ax&resource=${known}`]) {
      expectErrorAtApp(await send(`${app.authorizeUrl(CHALLENGE)}&${pair}`), app.redirectUri, "invalid_target");
    }
  });

  it("takes a resource that is repeated: it is the one parameter that may be", async () => {
    const pair = `resource=${encodeURIComponent(ORIGIN)}`;
    const response = await send(`${app.authorizeUrl(CHALLENGE)}&${pair}&${pair}%2F`);
    expect(new URL(response.headers.get("Location") ?? "").searchParams.get("error")).toBeNull();
    const { code, verifier } = await app.authorize();
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: app.clientId,
      code,
      code_verifier: verifier,
    });
    await expectTokens(await postBody("/oauth/token", `${body.toString()}&${pair}&${pair}`));
  });

  it("refuses an unknown resource at the token endpoint and spends neither code nor refresh token (§2.2)", async () => {
    const authorized = await app.authorize();
    for (const resource of UNKNOWN) {
      await expectOAuthError(await app.redeem(authorized, { resource }), 400, "invalid_target");
    }
    const { refresh_token } = await expectTokens(await app.redeem(authorized, { resource: ORIGIN }));
    for (const resource of UNKNOWN) {
      await expectOAuthError(await app.refresh(refresh_token, { resource }), 400, "invalid_target");
    }
    const { access_token } = await expectTokens(await app.refresh(refresh_token, { resource: `${ORIGIN}/` }));
    expect(decodeJwt(access_token).aud).toBe(ORIGIN);
  });
});
