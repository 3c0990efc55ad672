import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { expect, it } from "vitest";
import { answerConsent, ORIGIN, REDIRECT_URI, search } from "../support/node/gatehouse.ts";

const SEARCH = new URL(`${ORIGIN}/rest/api/v1/search`);
const QUESTION = JSON.stringify({ query: "token" });
const JSON_TYPE = new Headers({ "Content-Type": "application/json" });
const LOOPBACK = { [oauth.allowInsecureRequests]: true };

/** Makes an app whose registered metadata asks for everything that FAPI 2.0 requires of clients. */
async function makeApp() {
  const { publicKey, privateKey } = await oauth.generateKeyPair("ES256");
  const jwk = { ...(await crypto.subtle.exportKey("jwk", publicKey)), kid: "app", alg: "ES256", use: "sig" };
  const metadata = {
    client_name: "Notebook",
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: "private_key_jwt",
    jwks: { keys: [jwk] } as unknown as oauth.JsonObject,
    require_pushed_authorization_requests: true,
    dpop_bound_access_tokens: true,
  };
  return { metadata, key: { key: privateKey, kid: "app" } };
}

it("openid-client pushes its request (RFC 9126), gets DPoP-bound tokens (RFC 9449), refreshes and searches", async () => {
  const { metadata, key } = await makeApp();
  const config = await openid.dynamicClientRegistration(new URL(ORIGIN), metadata, openid.PrivateKeyJwt(key), {
    algorithm: "oauth2",
    execute: [openid.allowInsecureRequests],
  });
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256"));
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const parameters = {
    redirect_uri: REDIRECT_URI,
    scope: "SEARCH offline_access",
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  };
  const url = await openid.buildAuthorizationUrlWithPAR(config, parameters, { DPoP });
  expect([...url.searchParams.keys()].sort()).toEqual(["client_id", "request_uri"]);
  const callback = await answerConsent(url, "ben");
  const tokens = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState }, undefined, {
    DPoP,
  });
  expect(tokens.token_type).toBe("dpop");
  const ask = (token: string) =>
    openid.fetchProtectedResource(config, token, SEARCH, "POST", QUESTION, JSON_TYPE, { DPoP });
  expect((await ask(tokens.access_token)).status).toBe(200);
  expect((await search(ORIGIN, tokens.access_token)).status).toBe(401);
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "", undefined, { DPoP });
  expect((await ask(next.access_token)).status).toBe(200);
  const downgrade = openid.refreshTokenGrant(config, next.refresh_token ?? "");
  await expect(downgrade).rejects.toMatchObject({ error: "invalid_dpop_proof" });
});

it("oauth4webapi pushes its request, gets DPoP-bound tokens and searches, with the nonces that both servers ask for", async () => {
  const { metadata, key } = await makeApp();
  const issuer = new URL(ORIGIN);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...LOOPBACK });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const registered = await oauth.dynamicClientRegistrationRequest(server, metadata, LOOPBACK);
  const client = await oauth.processDynamicClientRegistrationResponse(registered);
  const authentication = oauth.PrivateKeyJwt(key);
  const keyPair = await oauth.generateKeyPair("ES256");
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const parameters = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    scope: "SEARCH",
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  const DPoP = oauth.DPoP({}, keyPair);
  const push = async () => {
    const response = await oauth.pushedAuthorizationRequest(server, client, authentication, parameters, {
      DPoP,
      ...LOOPBACK,
    });
    return oauth.processPushedAuthorizationResponse(server, client, response);
  };
  const unaware = await push().catch((error: unknown) => error);
  expect(oauth.isDPoPNonceError(unaware)).toBe(true);
  const { request_uri, expires_in } = await push();
  expect(expires_in).toBe(90);
  const reference = new URLSearchParams({ client_id: client.client_id, request_uri }).toString();
  const callback = await answerConsent(`${server.authorization_endpoint}?${reference}`, "ben");
  const answer = oauth.validateAuthResponse(server, client, callback, state);
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, authentication, answer, REDIRECT_URI, verifier, {
      DPoP,
      ...LOOPBACK,
    }),
  );
  expect(tokens.token_type).toBe("dpop");
  const ask = (by: oauth.DPoPHandle) =>
    oauth.protectedResourceRequest(tokens.access_token, "POST", SEARCH, JSON_TYPE, QUESTION, { DPoP: by, ...LOOPBACK });
  expect((await ask(DPoP)).status).toBe(200);
  // After a restart the app has its key but no nonce yet: the resource server asks for one, too.
  const restarted = oauth.DPoP({}, keyPair);
  const refused = await ask(restarted).catch((error: unknown) => error);
  expect(oauth.isDPoPNonceError(refused)).toBe(true);
  expect((await ask(restarted)).status).toBe(200);
  const thief = oauth.DPoP({}, await oauth.generateKeyPair("ES256"));
  await ask(thief).catch(() => undefined);
  await expect(ask(thief)).rejects.toMatchObject({
    cause: [{ scheme: "dpop", parameters: { error: "invalid_token" } }],
  });
});
