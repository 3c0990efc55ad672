import * as oauth from "openid-client";
import { beforeAll, describe, expect, it } from "vitest";
import { answerConsent, ORIGIN, OTHER_ORIGIN, REDIRECT_URI, search, titlesFor } from "../support/node/gatehouse.ts";

const EVERYBODY = "Handbook for everybody";

/** Titles that each person finds. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  ben: [EVERYBODY, "Runbook of engineering"],
  carla: ["Budget of finance", EVERYBODY],
  elin: ["Budget of finance", EVERYBODY, "Runbook of engineering"],
  farid: [EVERYBODY, "Letter to Farid alone"],
  ada: [EVERYBODY],
};

/** Registers an app that knows only an address: openid-client discovers the rest, and checks every response. */
async function registerAt(origin: string): Promise<oauth.Configuration> {
  const metadata = {
    client_name: "Notebook",
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: "none",
    scope: "SEARCH offline_access",
  };
  return oauth.dynamicClientRegistration(new URL(origin), metadata, oauth.None(), {
    algorithm: "oauth2",
    execute: [oauth.allowInsecureRequests],
  });
}

async function authorize(config: oauth.Configuration, sub: string) {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const expectedState = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: "SEARCH offline_access",
    resource: config.serverMetadata().issuer,
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const callback = await answerConsent(url, sub);
  return oauth.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState });
}

describe.each([
  { name: "localhost", origin: ORIGIN, people: Object.keys(FOUND) },
  { name: "127.0.0.1", origin: OTHER_ORIGIN, people: ["elin", "farid"] },
])("openid-client at $name", ({ origin, people }) => {
  let config: oauth.Configuration;

  beforeAll(async () => {
    config = await registerAt(origin);
  });

  it("discovers the origin as the issuer", () => {
    expect(config.serverMetadata().issuer).toBe(origin);
    expect(config.serverMetadata().token_endpoint).toBe(`${origin}/oauth/token`);
  });

  it("finds exactly what the signed-in person may see", async () => {
    for (const sub of people) {
      const tokens = await authorize(config, sub);
      expect(tokens).toMatchObject({ token_type: "bearer", scope: "SEARCH offline_access" });
      expect({ sub, found: await titlesFor(origin, tokens.access_token) }).toEqual({ sub, found: FOUND[sub] });
    }
  });

  it("refreshes, and finds the same documents with the new access token", async () => {
    const first = await authorize(config, "carla");
    const second = await oauth.refreshTokenGrant(config, first.refresh_token ?? "");
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await titlesFor(origin, second.access_token)).toEqual(await titlesFor(origin, first.access_token));
  });

  it("exchanges a code only once", async () => {
    const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
    const url = oauth.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: "SEARCH",
      state: "again",
      code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    });
    const callback = await answerConsent(url, "ben");
    const redeem = () => oauth.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState: "again" });
    await redeem();
    await expect(redeem()).rejects.toMatchObject({ error: "invalid_grant" });
  });

  it("gets access_denied if the person denies", async () => {
    const url = oauth.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: "SEARCH",
      state: "denied",
      code_challenge: await oauth.calculatePKCECodeChallenge(oauth.randomPKCECodeVerifier()),
      code_challenge_method: "S256",
    });
    const callback = await answerConsent(url, "ben", "deny");
    const checks = { pkceCodeVerifier: oauth.randomPKCECodeVerifier(), expectedState: "denied" };
    await expect(oauth.authorizationCodeGrant(config, callback, checks)).rejects.toMatchObject({
      error: "access_denied",
    });
  });

  it("revokes a refresh token: it is refused at once, and the access token shortly after", async () => {
    const tokens = await authorize(config, "ben");
    expect((await search(origin, tokens.access_token)).status).toBe(200);
    await oauth.tokenRevocation(config, tokens.refresh_token ?? "");
    await expect(oauth.refreshTokenGrant(config, tokens.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
    await expect
      .poll(async () => (await search(origin, tokens.access_token)).status, { timeout: 20_000, interval: 250 })
      .toBe(401);
    const refused = await search(origin, tokens.access_token);
    expect(refused.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
  });
});

describe("origins of one instance", () => {
  it("refuse each other's tokens", async () => {
    const there = await authorize(await registerAt(OTHER_ORIGIN), "ben");
    expect((await search(OTHER_ORIGIN, there.access_token)).status).toBe(200);
    const refused = await search(ORIGIN, there.access_token);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: "invalid_secret" });
  });

  it("refuse authorization requests for each other's resource, as invalid_target", async () => {
    const config = await registerAt(ORIGIN);
    const url = oauth.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: "SEARCH",
      resource: OTHER_ORIGIN,
      state: "elsewhere",
      code_challenge: await oauth.calculatePKCECodeChallenge(oauth.randomPKCECodeVerifier()),
      code_challenge_method: "S256",
    });
    const response = await fetch(url, { redirect: "manual" });
    const callback = new URL(response.headers.get("Location") ?? "");
    expect(callback.href.startsWith(REDIRECT_URI)).toBe(true);
    expect(callback.searchParams.get("error")).toBe("invalid_target");
    expect(callback.searchParams.get("iss")).toBe(ORIGIN);
  });
});
