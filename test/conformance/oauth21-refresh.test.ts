import type { InstanceRecord } from "#instance/instances.ts";
import { decodeJwt } from "jose";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, search, type TokenAnswer } from "../support/app-client.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import {
  changeSettings,
  disableClient,
  makeInstance,
  narrowClient,
  policyOf,
  setDeactivated,
  travel,
} from "../support/world.ts";

const HOUR = 3600;

/** The settings that each test starts with. */
const USUAL = {
  dynamicScopes: ["SEARCH", "CHAT", "offline_access"],
  grantIdleSeconds: 90 * 24 * HOUR,
  grantLifetimeSeconds: 180 * 24 * HOUR,
  refreshRepeatSeconds: 600,
  accessTokenLifetimeSeconds: HOUR,
};

describe("refresh tokens (OAuth 2.1 §4.3, RFC 9700 §4.14)", () => {
  let instance: InstanceRecord;
  let app: AppClient;

  beforeAll(async () => {
    instance = await makeInstance("acme", USUAL);
    app = await AppClient.registered();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await changeSettings("acme", USUAL);
  });

  async function next(tokens: TokenAnswer, client = app): Promise<TokenAnswer> {
    return expectTokens(await client.refresh(tokens.refresh_token));
  }

  function grantIdOf(tokens: TokenAnswer): string {
    return String(decodeJwt(tokens.access_token)["grant_id"]);
  }

  it("rotate: each refresh returns a new refresh token and a working access token", async () => {
    const first = await app.tokens();
    const second = await next(first);
    const third = await next(second);
    expect(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size).toBe(3);
    expect((await search(third.access_token)).status).toBe(200);
    expect(third.scope).toBe(first.scope);
  });

  it("have the same successor in 100 parallel refreshes, and lock nobody out", async () => {
    const first = await app.tokens();
    const responses = await Promise.all(Array.from({ length: 100 }, () => app.refresh(first.refresh_token)));
    const answers = await Promise.all(responses.map(expectTokens));
    expect(new Set(answers.map((answer) => answer.refresh_token)).size).toBe(1);
    const [successor] = answers;
    if (!successor) throw new Error("no successor");
    travel(120);
    expect((await search((await next(successor)).access_token)).status).toBe(200);
  });

  it.each([
    ["ten minutes, as it comes", undefined, 600],
    ["30 seconds", 30, 30],
    ["an hour, longer than an access token lives", HOUR, HOUR],
  ])(
    "give a repeated refresh, such as that of the app's other process, the same successor for %s",
    async (_, setting, seconds) => {
      const lifetimes = { refreshRepeatSeconds: setting, accessTokenLifetimeSeconds: 300 };
      await changeSettings("acme", lifetimes);
      const first = await app.tokens();
      const second = await next(first);
      travel(seconds - 2);
      const repeated = await next(first);
      expect(repeated.refresh_token).toBe(second.refresh_token);
      expect((await search(repeated.access_token)).status).toBe(200);
      const third = await next(second);
      expect((await next(second)).refresh_token).toBe(third.refresh_token);
      travel(seconds + 2);
      await expectOAuthError(await app.refresh(second.refresh_token), 400, "invalid_grant");
      await expectOAuthError(await app.refresh(third.refresh_token), 400, "invalid_grant");
    },
  );

  it("keep a revoked grant in the policy snapshot until the access token of the last repeated refresh has expired", async () => {
    await changeSettings("acme", { refreshRepeatSeconds: HOUR, accessTokenLifetimeSeconds: 300 });
    const first = await app.tokens();
    await next(first);
    travel(HOUR - 10);
    const { access_token, expires_in } = await next(first);
    expect(expires_in).toBe(300);
    await app.revoke(access_token);
    travel(290);
    expect((await search(access_token)).status).toBe(401);
    expect([...(await policyOf(instance)).revokedGrants.keys()]).toContain(grantIdOf(first));
    // A snapshot that is read completely, which happens every ten minutes, leaves it out.
    travel(600);
    expect([...(await policyOf(instance)).revokedGrants.keys()]).not.toContain(grantIdOf(first));
  });

  it("give a repeated refresh no token beyond the end that an earlier, shorter window set", async () => {
    await changeSettings("acme", { refreshRepeatSeconds: 30, accessTokenLifetimeSeconds: 60 });
    const first = await app.tokens();
    const second = await next(first);
    await changeSettings("acme", { refreshRepeatSeconds: HOUR });
    travel(60);
    expect((await next(first)).expires_in).toBeLessThanOrEqual(30);
    travel(60);
    await expectOAuthError(await app.refresh(first.refresh_token), 400, "invalid_grant");
    await next(second);
  });

  it.each([29, HOUR + 1])("can't have a repeat window of %i seconds", async (seconds) => {
    await expect(changeSettings("acme", { refreshRepeatSeconds: seconds })).rejects.toThrow("refreshRepeatSeconds");
  });

  it("end the whole grant when the previous one is used after the repeat window", async () => {
    const first = await app.tokens();
    const second = await next(first);
    travel(602);
    await expectOAuthError(await app.refresh(first.refresh_token), 400, "invalid_grant");
    await expectOAuthError(await app.refresh(second.refresh_token), 400, "invalid_grant");
    expect((await search(second.access_token)).status).toBe(401);
  });

  it("end the whole grant at once when one older than the previous one is used", async () => {
    const first = await app.tokens();
    const third = await next(await next(first));
    await expectOAuthError(await app.refresh(first.refresh_token), 400, "invalid_grant");
    await expectOAuthError(await app.refresh(third.refresh_token), 400, "invalid_grant");
    expect((await search(third.access_token)).status).toBe(401);
  });

  it("expire after the idle time without use, and not before", async () => {
    await changeSettings("acme", { grantIdleSeconds: HOUR });
    const first = await app.tokens();
    travel(HOUR - 10);
    const second = await next(first);
    travel(HOUR - 10);
    const third = await next(second);
    travel(HOUR + 1);
    await expectOAuthError(await app.refresh(third.refresh_token), 400, "invalid_grant");
  });

  it("expire after the grant's lifetime, however often they were used", async () => {
    await changeSettings("acme", { grantLifetimeSeconds: HOUR });
    let tokens = await app.tokens();
    for (let quarters = 0; quarters < 3; quarters += 1) {
      travel(HOUR / 4);
      tokens = await next(tokens);
    }
    travel(HOUR / 4 + 1);
    await expectOAuthError(await app.refresh(tokens.refresh_token), 400, "invalid_grant");
  });

  it("narrow scopes for one access token, and never widen them", async () => {
    const tokens = await app.tokens("ben", { scope: "search CHAT offline_access" });
    expect(tokens.scope).toBe("search CHAT offline_access");
    const narrowed = await expectTokens(await app.refresh(tokens.refresh_token, { scope: "CHAT" }));
    expect(narrowed.scope).toBe("CHAT");
    expect(decodeJwt(narrowed.access_token)["scope"]).toBe("CHAT");
    expect((await search(narrowed.access_token)).status).toBe(403);
    const whole = await next(narrowed);
    expect(whole.scope.split(" ").map((word) => word.toUpperCase())).toEqual(
      expect.arrayContaining(["SEARCH", "CHAT", "OFFLINE_ACCESS"]),
    );

    const small = await app.tokens("ben", { scope: "SEARCH offline_access" });
    for (const scope of ["CHAT", "SEARCH CHAT", "DOCUMENTS", "search documents"]) {
      await expectOAuthError(await app.refresh(small.refresh_token, { scope }), 400, "invalid_scope");
    }
    await next(small);
  });

  it("are issued only with the scope offline_access", async () => {
    for (const scope of ["SEARCH", "SEARCH CHAT"]) {
      expect(await app.tokens("ben", { scope })).not.toHaveProperty("refresh_token");
    }
    expect(await app.tokens("ben", { scope: "SEARCH Offline_Access" })).toHaveProperty("refresh_token");
  });

  it("require the secret of a confidential client", async () => {
    const confidential = await AppClient.registered({ token_endpoint_auth_method: "client_secret_post" });
    const tokens = await confidential.tokens();
    for (const client_secret of [undefined, "wrong"]) {
      await expectOAuthError(
        await confidential.refresh(tokens.refresh_token, { client_secret }),
        401,
        "invalid_client",
      );
    }
    await next(tokens, confidential);
  });

  it("give only scopes that the administrator still allows to clients that registered themselves", async () => {
    const tokens = await app.tokens("ben", { scope: "SEARCH CHAT offline_access" });
    await changeSettings("acme", { dynamicScopes: ["SEARCH", "offline_access"] });
    const less = await next(tokens);
    expect(less.scope).toBe("SEARCH offline_access");
    await changeSettings("acme", { dynamicScopes: ["DOCUMENTS"] });
    await expectOAuthError(await app.refresh(less.refresh_token), 400, "invalid_grant");
  });

  it.each([
    ["the settings", () => changeSettings("acme", { dynamicScopes: ["SEARCH", "offline_access"] })],
    ["the app's own scopes", ({ clientId }: AppClient) => narrowClient(clientId, ["SEARCH", "offline_access"])],
  ])("aren't used up by a refresh for which %s leave no scope", async (_what, narrow) => {
    const narrowed = await AppClient.registered();
    const tokens = await narrowed.tokens("ben", { scope: "SEARCH CHAT offline_access" });
    await narrow(narrowed);
    expect((await narrowed.refresh(tokens.refresh_token, { scope: "CHAT" })).status).toBe(400);
    // If the grant had moved on to a successor, this previous token would end it now.
    travel(USUAL.refreshRepeatSeconds + 1);
    await next(tokens, narrowed);
  });

  it("end when the person is deactivated or the client is disabled", async () => {
    const tokens = await app.tokens("carla");
    await setDeactivated(instance, "carla@acme.example");
    await expectOAuthError(await app.refresh(tokens.refresh_token), 400, "invalid_grant");
    await setDeactivated(instance, "carla@acme.example", false);
    await expectOAuthError(await app.refresh(tokens.refresh_token), 400, "invalid_grant");
    await next(await app.tokens("carla"));

    const disabled = await AppClient.registered();
    const theirs = await disabled.tokens();
    await disableClient(instance, disabled.clientId);
    await expectOAuthError(await disabled.refresh(theirs.refresh_token), 401, "invalid_client");
  });
});
