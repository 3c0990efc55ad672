import * as oauth from "oauth4webapi";
import { expect, it } from "vitest";
import { answerConsent, ORIGIN, REDIRECT_URI } from "../support/node/gatehouse.ts";

const SERVER = new URL(`${ORIGIN}/mcp`);
const LOOPBACK = { [oauth.allowInsecureRequests]: true };

function call(token: string | undefined, method: string, params: object): Promise<Response> {
  return fetch(SERVER, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

async function titles(token: string): Promise<string[]> {
  const response = await call(token, "tools/call", { name: "search", arguments: { query: "Where is the runbook?" } });
  const { result } = (await response.json()) as {
    result: { structuredContent: { results: { title: string }[] } };
  };
  return result.structuredContent.results.map(({ title }) => title);
}

it("oauth4webapi discovers, registers, gets tokens, calls a tool, refreshes and revokes, from nothing but /mcp", async () => {
  const resource = await oauth.processResourceDiscoveryResponse(
    SERVER,
    await oauth.resourceDiscoveryRequest(SERVER, LOOPBACK),
  );
  const issuer = new URL(resource.authorization_servers?.[0] ?? "");
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...LOOPBACK }),
  );

  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: "Notebook", redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" },
      LOOPBACK,
    ),
  );

  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    scope: "SEARCH offline_access",
    resource: SERVER.href,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }).toString();
  // It checks state and iss (RFC 9207).
  const answer = oauth.validateAuthResponse(server, client, await answerConsent(url, "ben"), state);
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), answer, REDIRECT_URI, verifier, {
      ...LOOPBACK,
      additionalParameters: { resource: SERVER.href },
    }),
  );
  expect(await titles(tokens.access_token)).toEqual(["Runbook of engineering"]);

  const next = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? "", LOOPBACK),
  );
  expect(next.refresh_token).not.toBe(tokens.refresh_token);
  expect(await titles(next.access_token)).toEqual(["Runbook of engineering"]);

  // A tool that needs another scope is refused, with the union of scopes in the challenge (RFC 6750 §3.1).
  const stepUp = await call(next.access_token, "tools/call", { name: "fetch", arguments: { id: "wiki:none" } });
  expect(stepUp.status).toBe(403);
  expect(stepUp.headers.get("WWW-Authenticate")).toContain('scope="SEARCH DOCUMENTS"');

  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, oauth.None(), next.refresh_token ?? "", LOOPBACK),
  );
  const ended = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), next.refresh_token ?? "", LOOPBACK);
  await expect(oauth.processRefreshTokenResponse(server, client, ended)).rejects.toMatchObject({
    error: "invalid_grant",
  });
});
