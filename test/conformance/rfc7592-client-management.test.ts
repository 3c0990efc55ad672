import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, REDIRECT_URI, register, search } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { expectOAuthError, expectPage } from "../support/oauth-answers.ts";
import { changeSettings, disableClient, makeInstance, ORIGIN, send } from "../support/world.ts";

interface Registration {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
  readonly redirect_uris: string[];
  readonly scope: string;
  readonly client_name: string;
  readonly token_endpoint_auth_method: string;
}

const PUBLIC = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none", client_name: "Managed" };

async function registration(metadata: Record<string, unknown> = {}): Promise<Registration> {
  const response = await register({ ...PUBLIC, ...metadata });
  expect(response.status).toBe(201);
  return response.json<Registration>();
}

/** Calls the management endpoint of a registration, and returns the response, even an error. */
function manage(method: string, client: Registration, token: string | undefined, body?: unknown): Promise<Response> {
  return send(client.registration_client_uri, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Replaces a client's registration, with the client's own token. */
function update(client: Registration, changes: Record<string, unknown>): Promise<Response> {
  const body = { ...PUBLIC, client_id: client.client_id, ...changes };
  return manage("PUT", client, client.registration_access_token, body);
}

function authorize(clientId: string, redirectUri: string): Promise<Response> {
  const query = { response_type: "code", client_id: clientId, redirect_uri: redirectUri, code_challenge: CHALLENGE };
  return send(`/oauth/authorize?${new URLSearchParams({ ...query, code_challenge_method: "S256" }).toString()}`);
}

/** Returns what is registered now, as the client reads it. */
async function registeredNow(client: Registration): Promise<Registration> {
  const response = await manage("GET", client, client.registration_access_token);
  expect(response.status).toBe(200);
  return response.json<Registration>();
}

describe("client registration management (RFC 7592)", () => {
  let instance: InstanceRecord;

  beforeAll(async () => {
    instance = await makeInstance();
  });
  afterEach(async () => {
    await changeSettings("acme", { registration: "open", dynamicScopes: ["SEARCH", "CHAT", "offline_access"] });
  });

  it("returns a management token and URL with a registration", async () => {
    const client = await registration();
    expect(client.registration_access_token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(client.registration_client_uri).toBe(`${ORIGIN}/oauth/register/${client.client_id}`);
  });

  it("returns the registration to the token's bearer, without the client secret (§2.1)", async () => {
    const client = await registration({ token_endpoint_auth_method: "client_secret_post" });
    const response = await manage("GET", client, client.registration_access_token);
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const answer = await response.json<Registration>();
    expect(answer).toMatchObject({
      client_id: client.client_id,
      client_name: "Managed",
      redirect_uris: [REDIRECT_URI],
    });
    expect(JSON.stringify(answer)).not.toContain(client.client_secret);
  });

  it.each(["GET", "PUT", "DELETE"])(
    "refuses %s without the client's token with 401, and changes nothing",
    async (method) => {
      const [client, other] = [await registration(), await registration()];
      const body = { ...PUBLIC, client_id: client.client_id, client_name: "Taken over" };
      const sent = method === "PUT" ? body : undefined;
      const token = client.registration_access_token;
      for (const wrong of [undefined, "wrong", other.registration_access_token, client.client_id, token.slice(0, -1)]) {
        const response = await manage(method, client, wrong, sent);
        expect(response.status).toBe(401);
        expect(response.headers.get("Cache-Control")).toBe("no-store");
      }
      const unknown = { ...client, registration_client_uri: `${ORIGIN}/oauth/register/nobody` };
      expect((await manage(method, unknown, token, sent)).status).toBe(401);
      expect(await registeredNow(client)).toMatchObject({ client_name: "Managed" });
    },
  );

  it("refuses a client's token at another instance", async () => {
    const client = await registration();
    await makeInstance("other");
    const elsewhere = client.registration_client_uri.replace(ORIGIN, "http://other.localhost");
    const there = { ...client, registration_client_uri: elsewhere };
    expect((await manage("DELETE", there, client.registration_access_token)).status).toBe(401);
    expect(await registeredNow(client)).toMatchObject({ client_id: client.client_id });
  });

  it("replaces a registration, and then authorizes the new redirect URI only (§2.2)", async () => {
    const client = await registration();
    const response = await update(client, { redirect_uris: ["https://app.example/new"], client_name: "Renamed" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      client_id: client.client_id,
      client_name: "Renamed",
      redirect_uris: ["https://app.example/new"],
    });
    expect((await authorize(client.client_id, "https://app.example/new")).status).toBe(302);
    await expectPage(await authorize(client.client_id, REDIRECT_URI), 400);
  });

  it.each([
    ["http beyond loopback", { redirect_uris: ["http://app.example/cb"] }, "invalid_redirect_uri"],
    ["a script", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    ["a fragment", { redirect_uris: ["https://app.example/cb#x"] }, "invalid_redirect_uri"],
    ["no redirect URI", { redirect_uris: [] }, "invalid_redirect_uri"],
    ["another grant", { grant_types: ["implicit"] }, "invalid_client_metadata"],
    ["a scope it cannot have", { scope: "DOCUMENTS" }, "invalid_client_metadata"],
    ["another client's id", { client_id: "another" }, "invalid_client_metadata"],
    ["no client id", { client_id: undefined }, "invalid_client_metadata"],
    ["a secret all at once", { token_endpoint_auth_method: "client_secret_post" }, "invalid_client_metadata"],
  ])("refuses a replacement with %s, and changes nothing", async (_, changes, error) => {
    const client = await registration();
    const before = await registeredNow(client);
    await expectOAuthError(await update(client, changes), 400, error);
    expect(await registeredNow(client)).toEqual(before);
  });

  it("doesn't let a confidential client become public", async () => {
    const client = await registration({ token_endpoint_auth_method: "client_secret_basic" });
    await expectOAuthError(await update(client, {}), 400, "invalid_client_metadata");
    expect(await registeredNow(client)).toMatchObject({ token_endpoint_auth_method: "client_secret_basic" });
  });

  it("narrows a wider scope to what registered clients may have, and returns that", async () => {
    const client = await registration({ scope: "SEARCH" });
    const response = await update(client, { scope: "SEARCH CHAT DOCUMENTS" });
    expect((await response.json<Registration>()).scope).toBe("SEARCH CHAT");
    expect((await registeredNow(client)).scope).toBe("SEARCH CHAT");
  });

  it("removes a scope that a client gives up from its existing tokens too", async () => {
    const client = await registration();
    const app = AppClient.of(client.client_id, REDIRECT_URI);
    const { access_token } = await app.tokens();
    expect((await search(access_token)).status).toBe(200);
    await update(client, { scope: "CHAT" });
    const response = await search(access_token);
    expect(response.status).toBe(403);
    expect((await readRefusal(response)).error).toBe("insufficient_scope");
  });

  it("applies the current policy: only approved redirect URIs, or no changes while registration is off", async () => {
    const client = await registration();
    await changeSettings("acme", { registration: "approved", approvedRedirectUris: ["https://good.example/cb"] });
    await expectOAuthError(await update(client, {}), 400, "invalid_redirect_uri");
    const mixed = await update(client, { redirect_uris: ["https://bad.example/cb", "https://good.example/cb"] });
    expect((await mixed.json<Registration>()).redirect_uris).toEqual(["https://good.example/cb"]);
    await changeSettings("acme", { registration: "off" });
    await expectOAuthError(await update(client, {}), 403, "registration_not_enabled");
  });

  it("doesn't let a disabled client read, change or delete its registration (CVE-2026-9705)", async () => {
    const client = await registration({ client_name: "Disabled" });
    await disableClient(instance, client.client_id);
    for (const response of [
      await manage("GET", client, client.registration_access_token),
      await update(client, {}),
      await manage("DELETE", client, client.registration_access_token),
    ]) {
      expect(response.status).toBe(401);
    }
    await expectPage(await authorize(client.client_id, REDIRECT_URI), 400);
  });

  it("deletes a client, its tokens and its management token (§2.3)", async () => {
    const client = await registration();
    const app = AppClient.of(client.client_id, REDIRECT_URI);
    const tokens = await app.tokens();
    expect((await search(tokens.access_token)).status).toBe(200);
    const response = await manage("DELETE", client, client.registration_access_token);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    const refused = await search(tokens.access_token);
    expect([refused.status, (await readRefusal(refused)).error]).toEqual([403, "client_not_registered"]);
    await expectOAuthError(await app.refresh(tokens.refresh_token), 401, "invalid_client");
    await expectPage(await authorize(client.client_id, REDIRECT_URI), 400);
    expect((await manage("GET", client, client.registration_access_token)).status).toBe(401);
    expect((await update(client, {})).status).toBe(401);
  });

  it("gives each repeated registration its own id and token, and deletes none of them", async () => {
    const metadata = { ...PUBLIC, client_name: "Repeated" };
    const used = await AppClient.registered(metadata, ORIGIN, "198.51.100.20");
    await used.tokens();
    const answers: Registration[] = [];
    for (let n = 0; n < 13; n += 1) {
      answers.push(await (await register(metadata, ORIGIN, "198.51.100.20")).json<Registration>());
    }
    expect(new Set(answers.map((answer) => answer.client_id)).size).toBe(13);
    expect(new Set(answers.map((answer) => answer.registration_access_token)).size).toBe(13);
    for (const answer of answers) expect(await registeredNow(answer)).toMatchObject({ client_name: "Repeated" });
    expect(await used.tokens()).toHaveProperty("access_token");
  });

  it.each(["PUT", "DELETE"])("limits %s per IP address, with 429 and Retry-After", async (method) => {
    const client = await registration();
    const from = (address: string) =>
      send(client.registration_client_uri, {
        method,
        headers: { "Content-Type": "application/json", Authorization: "Bearer wrong", "CF-Connecting-IP": address },
        ...(method === "PUT" ? { body: "{}" } : {}),
      });
    let response = await from(`198.51.100.${method.length}`);
    for (let n = 0; n < 130 && response.status === 401; n += 1) response = await from(`198.51.100.${method.length}`);
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    await expectOAuthError(response, 429, "slow_down");
    expect((await from("198.51.100.99")).status).toBe(401);
    expect((await manage("GET", client, client.registration_access_token)).status).toBe(200);
  });

  it("refuses to manage a client that an administrator created", async () => {
    const app = await AppClient.madeByAdministrator(instance);
    for (const token of ["", "null", app.clientId]) {
      const response = await send(`/oauth/register/${app.clientId}`, {
        method: "DELETE",
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(401);
    }
    expect(await app.tokens()).toHaveProperty("access_token");
  });
});
