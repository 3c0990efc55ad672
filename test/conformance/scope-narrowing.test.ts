import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, postForm } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { expectTokens } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { changeSettings, makeInstance, travel } from "../support/world.ts";

/** Maximum time in seconds until a change takes effect in other isolates. */
const REACH_SECONDS = 10;

const USUAL = ["SEARCH", "CHAT", "offline_access"];

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});

afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("acme", { dynamicScopes: USUAL });
});

/** Returns an isolate's status for a search, and the error code if it refuses. */
async function decision(isolate: ObservedIsolate, token: string): Promise<unknown[]> {
  const response = await isolate.search(token);
  return response.status === 200 ? [200] : [response.status, (await readRefusal(response)).error];
}

/** Returns the words of a token's scope as introspection reports it. */
async function scopeOf(app: AppClient, token: string | undefined): Promise<string[]> {
  const answer = await postForm("/oauth/introspect", { client_id: app.clientId, client_secret: app.secret, token });
  const { active, scope } = await answer.json<{ active: boolean; scope?: string }>();
  expect(active).toBe(true);
  return (scope ?? "").split(" ").filter((word) => word !== "");
}

describe("narrowing the scopes that self-registered clients may have", () => {
  it("removes the scope from existing access tokens in every isolate within ten seconds, and can be undone", async () => {
    const app = await AppClient.registered();
    const { access_token } = await app.tokens();
    const [warm, cold] = [new ObservedIsolate(), new ObservedIsolate()];
    expect(await decision(warm, access_token)).toEqual([200]);
    await changeSettings("acme", { dynamicScopes: ["CHAT", "offline_access"] });
    travel(REACH_SECONDS);
    expect(await decision(warm, access_token)).toEqual([403, "insufficient_scope"]);
    expect(await decision(cold, access_token)).toEqual([403, "insufficient_scope"]);
    await changeSettings("acme", { dynamicScopes: USUAL });
    travel(REACH_SECONDS);
    expect(await decision(warm, access_token)).toEqual([200]);
  });

  it("doesn't affect clients that administrators created", async () => {
    const app = await AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: "client_secret_post" });
    const { access_token } = await app.tokens("ben", { scope: "SEARCH DOCUMENTS" });
    const isolate = new ObservedIsolate();
    expect(await decision(isolate, access_token)).toEqual([200]);
    await changeSettings("acme", { dynamicScopes: ["CHAT"] });
    travel(REACH_SECONDS);
    expect(await decision(isolate, access_token)).toEqual([200]);
    expect(await scopeOf(app, access_token)).toEqual(["SEARCH", "DOCUMENTS"]);
  });

  it("changes the scope that introspection reports for access tokens and refresh tokens (RFC 7662 §2.2)", async () => {
    const app = await AppClient.registered({ token_endpoint_auth_method: "client_secret_post" });
    const { access_token, refresh_token } = await app.tokens("ben", { scope: "search CHAT offline_access" });
    expect(await scopeOf(app, access_token)).toContain("search");
    await changeSettings("acme", { dynamicScopes: ["CHAT", "offline_access"] });
    for (const token of [access_token, refresh_token]) {
      const scope = await scopeOf(app, token);
      expect(scope).toContain("CHAT");
      expect(scope.map((word) => word.toUpperCase())).not.toContain("SEARCH");
    }
  });

  it("limits the next refresh to the scopes that are left", async () => {
    const app = await AppClient.registered();
    const { refresh_token } = await app.tokens();
    await changeSettings("acme", { dynamicScopes: ["CHAT", "offline_access"] });
    const { access_token, scope } = await expectTokens(await app.refresh(refresh_token));
    expect(scope.split(" ")).not.toContain("SEARCH");
    expect(await decision(new ObservedIsolate(), access_token)).toEqual([403, "insufficient_scope"]);
  });
});
