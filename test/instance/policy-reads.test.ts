import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, REDIRECT_URI, register } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { makeInstance, send, travel } from "../support/world.ts";

/** Longer than a refresh token may be used a second time. */
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

/** How many statements somebody else's next request costs: none, unless the policy has to be read for it. */
async function costOfBystander(): Promise<number> {
  isolate.reset();
  expect((await isolate.search(bystander)).status).toBe(200);
  return isolate.statements;
}

/** Ends a grant by `act`, and repeats `act`, which ends nothing any more. The clock stands, so that no snapshot ages meanwhile. */
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

describe("what ends nothing makes nobody read the policy again", () => {
  it("a token that is revoked already", async () => {
    const { access_token: token, refresh_token = "" } = await app.tokens();
    await expectOneRead(() => post("/oauth/revoke", { token }), 200);
    expect((await post("/oauth/revoke", { token: refresh_token })).status).toBe(200);
    expect(await costOfBystander()).toBe(0);
  });

  it("a token of another client, or none at all", async () => {
    const { access_token } = await (await AppClient.registered()).tokens();
    travel(0);
    await costOfBystander();
    for (const token of [access_token, "nonsense", "a.b.c"]) {
      expect((await post("/oauth/revoke", { token })).status).toBe(200);
      expect(await costOfBystander()).toBe(0);
    }
  });

  it("a code that is played again and again", async () => {
    const authorized = await app.authorize();
    expect((await app.redeem(authorized)).status).toBe(200);
    const { code, verifier } = authorized;
    await expectOneRead(
      () => post("/oauth/token", { grant_type: "authorization_code", code, code_verifier: verifier }),
      400,
    );
  });

  it("a refresh token that is used again and again after its time", async () => {
    const { refresh_token = "" } = await app.tokens();
    const next = await (await app.refresh(refresh_token)).json<{ refresh_token: string }>();
    expect((await app.refresh(next.refresh_token)).status).toBe(200);
    travel(BEYOND_GRACE_SECONDS);
    await expectOneRead(() => post("/oauth/token", { grant_type: "refresh_token", refresh_token }), 400);
  });
});

describe("the policy that every isolate holds", () => {
  /** The clients whose changes the policy tells of. */
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

  it("does not grow by registrations that nobody has ever allowed, however often they change", async () => {
    for (let n = 0; n < 3; n += 1) {
      const registration = await registered();
      await narrow(registration);
      await narrow(registration);
      expect([...(await changedClients()).keys()]).not.toContain(registration.client_id);
    }
  });

  it("does not grow by clients that never changed", async () => {
    await app.tokens();
    expect([...(await changedClients()).keys()]).not.toContain(app.clientId);
  });

  it("tells of a change once somebody has allowed the client, before it or after", async () => {
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
