import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, REDIRECT_URI, register } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { makeInstance, send, travel } from "../support/world.ts";

/** Longer than the time in which a refresh token may be used again. */
const BEYOND_GRACE_SECONDS = 601;

let app: AppClient;
let isolate: ObservedIsolate;
let bystander: string;

beforeAll(async () => {
  await makeInstance();
});

beforeEach(async () => {
  app = await AppClient.registered();
  isolate = new ObservedIsolate();
  bystander = (await (await AppClient.registered()).tokens("carla")).access_token;
});

afterEach(() => vi.useRealTimers());

function post(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  return isolate.send(path, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: app.clientId, ...fields }).toString(),
  });
}

/** Returns how many statements another person's next request costs: none, unless the policy must be read again. */
async function costOfBystander(): Promise<number> {
  isolate.reset();
  expect((await isolate.search(bystander)).status).toBe(200);
  return isolate.statements;
}

/** Ends a grant with `act`, and repeats `act`, which then ends nothing. The clock is stopped, so that no snapshot expires. */
async function expectOneRead(act: () => Promise<Response>, status: number): Promise<void> {
  travel(0);
  await costOfBystander();
  expect(await costOfBystander()).toBe(0);
  expect((await act()).status).toBe(status);
  expect(await costOfBystander()).toBeGreaterThan(0);
  for (let again = 0; again < 3; again += 1) {
    expect((await act()).status).toBe(status);
    expect(await costOfBystander()).toBe(0);
  }
}

describe("requests that end no access don't make isolates read the policy again", () => {
  it("revoking a token that is already revoked", async () => {
    const { access_token: token, refresh_token = "" } = await app.tokens();
    await expectOneRead(() => post("/oauth/revoke", { token }), 200);
    expect((await post("/oauth/revoke", { token: refresh_token })).status).toBe(200);
    expect(await costOfBystander()).toBe(0);
  });

  it("revoking another client's token, or a text that is no token", async () => {
    const { access_token } = await (await AppClient.registered()).tokens();
    travel(0);
    await costOfBystander();
    for (const token of [access_token, "nonsense", "a.b.c"]) {
      expect((await post("/oauth/revoke", { token })).status).toBe(200);
      expect(await costOfBystander()).toBe(0);
    }
  });

  it("replaying a code after it has ended its grant", async () => {
    const authorized = await app.authorize();
    expect((await app.redeem(authorized)).status).toBe(200);
    const { code, verifier } = authorized;
    await expectOneRead(
      () => post("/oauth/token", { grant_type: "authorization_code", code, code_verifier: verifier }),
      400,
    );
  });

  it("replaying an old refresh token after it has ended its grant", async () => {
    const { refresh_token = "" } = await app.tokens();
    const next = await (await app.refresh(refresh_token)).json<{ refresh_token: string }>();
    expect((await app.refresh(next.refresh_token)).status).toBe(200);
    travel(BEYOND_GRACE_SECONDS);
    await expectOneRead(() => post("/oauth/token", { grant_type: "refresh_token", refresh_token }), 400);
  });
});

describe("changed clients in the policy that every isolate holds", () => {
  /** Returns the clients that the policy lists as changed. */
  async function changedClients(): Promise<ReadonlyMap<string, unknown>> {
    const { policySnapshots } = servicesOf(env);
    policySnapshots.expire("acme");
    return (await policySnapshots.of("acme", () => {}))?.changedClients ?? new Map<string, unknown>();
  }

  interface Registration {
    readonly client_id: string;
    readonly registration_access_token: string;
  }

  async function registered(): Promise<Registration> {
    return (await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" })).json<Registration>();
  }

  async function narrow({ client_id, registration_access_token }: Registration): Promise<void> {
    const body = { client_id, redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none", scope: "CHAT" };
    const response = await send(`/oauth/register/${client_id}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${registration_access_token}` },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
  }

  it("don't include registrations that nobody has ever allowed, however often they change", async () => {
    for (let n = 0; n < 3; n += 1) {
      const registration = await registered();
      await narrow(registration);
      await narrow(registration);
      expect([...(await changedClients()).keys()]).not.toContain(registration.client_id);
    }
  });

  it("don't include clients that never changed", async () => {
    await app.tokens();
    expect([...(await changedClients()).keys()]).not.toContain(app.clientId);
  });

  it("include a client that changed and that somebody has allowed, before or after the change", async () => {
    const [before, after] = [await registered(), await registered()];
    await AppClient.of(before.client_id, REDIRECT_URI).tokens();
    await narrow(before);
    await narrow(after);
    await AppClient.of(after.client_id, REDIRECT_URI).tokens();
    const changed = await changedClients();
    expect(changed.get(before.client_id)).toEqual(new Set(["CHAT"]));
    expect(changed.get(after.client_id)).toEqual(new Set(["CHAT"]));
  });
});
