import type { Client } from "#clients/client.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, basic, CHALLENGE, postForm, REDIRECT_URI, search } from "../support/app-client.ts";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { env } from "../support/isolate.ts";
import { expectOAuthError, expectPage, expectTokens } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { makeInstance, send, travel, requireClient } from "../support/world.ts";

const ACTOR = "test";

/** The most seconds until a change takes effect in an isolate that did not make it. */
const REACH_SECONDS = 10;

describe("static clients", () => {
  let instance: InstanceRecord;
  const clientActs = () => servicesOf(env).administrationOf(instance, ACTOR).clients;

  beforeAll(async () => {
    instance = await makeInstance();
  });
  afterEach(() => void vi.useRealTimers());

  function make(
    method: Client["tokenEndpointAuthMethod"],
    scopes: Client["scopes"] = ["SEARCH", "CHAT", "offline_access"],
  ) {
    return AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: method, scopes });
  }

  /** Changes a client as an administrator does. */
  async function edit(app: AppClient, changes: Partial<Pick<Client, "redirectUris" | "scopes">>): Promise<void> {
    await clientActs().change(await requireClient(instance, app.clientId), changes);
  }

  /** Refreshes with other credentials than usual. */
  function refreshAs(app: AppClient, refreshToken: string | undefined, authorization: string): Promise<Response> {
    const changes = { grant_type: "refresh_token", refresh_token: refreshToken };
    return postForm("/oauth/token", changes, { Authorization: authorization });
  }

  it("can authenticate by Basic and by post, whichever they were created with", async () => {
    for (const method of ["client_secret_basic", "client_secret_post"] as const) {
      const app = await make(method);
      const tokens = await app.tokens();
      const byBasic = await expectTokens(
        await refreshAs(app, tokens.refresh_token, basic(app.clientId, app.secret ?? "")),
      );
      await expectTokens(await app.refresh(byBasic.refresh_token));
    }
  });

  it("can authenticate by Basic with every character form-encoded (RFC 6749 §2.3.1)", async () => {
    const app = await make("client_secret_basic");
    const tokens = await app.tokens();
    const encode = (text = "") =>
      Array.from(text, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
    const header = `Basic ${btoa(`${encode(app.clientId)}:${encode(app.secret)}`)}`;
    await expectTokens(await refreshAs(app, tokens.refresh_token, header));
  });

  it("get no tokens without their secret, and the attempts don't spend a code or refresh token", async () => {
    const app = await make("client_secret_basic");
    const authorized = await app.authorize();
    await expectOAuthError(await app.redeem(authorized, { client_secret: undefined }), 401, "invalid_client");
    await expectOAuthError(await app.redeem(authorized, { client_secret: "" }), 401, "invalid_client");
    await expectOAuthError(await app.redeem(authorized, { client_secret: `${app.secret}x` }), 401, "invalid_client");
    const tokens = await expectTokens(await app.redeem(authorized));
    const refused = await refreshAs(app, tokens.refresh_token, basic(app.clientId, "wrong"));
    expect(refused.headers.get("WWW-Authenticate")).toMatch(/^Basic realm=/);
    await expectOAuthError(refused, 401, "invalid_client");
    await expectTokens(await app.refresh(tokens.refresh_token));
  });

  it("have their secret stored as a hash, and in no audit entry", async () => {
    const { secret = "none", clientId } = await make("client_secret_post");
    const rotated = await clientActs().rotateSecret(clientId);
    for (const table of ["clients", "audit"]) {
      const rows = JSON.stringify((await env.DB.prepare(`SELECT * FROM ${table}`).all()).results);
      expect(rows).toContain(clientId);
      expect(rows).not.toContain(secret);
      expect(rows).not.toContain(rotated);
    }
  });

  it("can't use the old secret once it is rotated, but their grants continue", async () => {
    const app = await make("client_secret_post");
    const tokens = await app.tokens();
    const secret = await clientActs().rotateSecret(app.clientId);
    await expectOAuthError(await app.refresh(tokens.refresh_token), 401, "invalid_client");
    expect((await search(tokens.access_token)).status).toBe(200);
    await expectTokens(await app.refresh(tokens.refresh_token, { client_secret: secret }));
  });

  it("lose a scope within ten seconds, in existing access tokens and in refreshed ones", async () => {
    const app = await make("none");
    const tokens = await app.tokens();
    const isolate = new ObservedIsolate();
    expect((await isolate.search(tokens.access_token)).status).toBe(200);
    await edit(app, { scopes: ["CHAT", "offline_access"] });
    travel(REACH_SECONDS);
    const response = await isolate.search(tokens.access_token);
    expect(response.status).toBe(403);
    expect(readChallenge(response)).toMatchObject({ error: "insufficient_scope", scope: "SEARCH" });
    expect((await readRefusal(response)).error).toBe("insufficient_scope");
    const narrowed = await expectTokens(await app.refresh(tokens.refresh_token));
    expect(narrowed.scope).toBe("CHAT offline_access");
    expect((await search(narrowed.access_token)).status).toBe(403);
  });

  it("get no tokens if they have lost all scopes of a grant, and asking doesn't spend the refresh token", async () => {
    const app = await make("none", ["SEARCH", "offline_access"]);
    const tokens = await app.tokens();
    await edit(app, { scopes: ["CHAT", "offline_access"] });
    await expectOAuthError(await app.refresh(tokens.refresh_token), 400, "invalid_grant");
    await edit(app, { scopes: ["SEARCH", "offline_access"] });
    expect((await expectTokens(await app.refresh(tokens.refresh_token))).scope).toBe("SEARCH offline_access");
  });

  it("don't get a scope that they were given later until a person allows it", async () => {
    const app = await make("none", ["SEARCH", "offline_access"]);
    const tokens = await app.tokens();
    await edit(app, { scopes: ["SEARCH", "CHAT", "offline_access"] });
    expect((await expectTokens(await app.refresh(tokens.refresh_token))).scope).toBe("SEARCH offline_access");
    expect((await app.tokens()).scope).toBe("SEARCH CHAT offline_access");
  });

  it("may have scopes that registered clients may not", async () => {
    expect((await (await make("none", ["SEARCH", "DOCUMENTS"])).tokens()).scope).toBe("SEARCH DOCUMENTS");
  });

  it("can only use their current redirect URIs", async () => {
    const app = await make("none");
    await edit(app, { redirectUris: ["https://app.example/new"] });
    await expectPage(await send(app.authorizeUrl(CHALLENGE)), 400);
    const moved = await send(app.authorizeUrl(CHALLENGE, { redirect_uri: "https://app.example/new" }));
    expect(moved.status).toBe(302);
  });

  it.each(["http://app.example/cb", "javascript:alert(1)", "https://app.example/*", "https://app.example/cb#x"])(
    "can't have the redirect URI %s, neither at first nor later",
    async (uri) => {
      await expect(AppClient.madeByAdministrator(instance, { redirectUris: [uri] })).rejects.toThrow();
      const app = await make("none");
      await expect(edit(app, { redirectUris: [REDIRECT_URI, uri] })).rejects.toThrow();
      expect((await send(app.authorizeUrl(CHALLENGE))).status).toBe(302);
    },
  );

  it("lose access when they are disabled: authorization, refresh and existing tokens", async () => {
    const app = await make("client_secret_post");
    const tokens = await app.tokens();
    const isolate = new ObservedIsolate();
    expect((await isolate.search(tokens.access_token)).status).toBe(200);
    expect(await clientActs().disable(app.clientId)).toBe(true);
    await expectPage(await send(app.authorizeUrl(CHALLENGE)), 400);
    await expectOAuthError(await app.refresh(tokens.refresh_token), 401, "invalid_client");
    travel(REACH_SECONDS);
    expect((await isolate.search(tokens.access_token)).status).toBe(403);
  });

  it("lose access and all grants when they are deleted", async () => {
    const app = await make("none");
    const tokens = await app.tokens();
    const isolate = new ObservedIsolate();
    expect((await isolate.search(tokens.access_token)).status).toBe(200);
    await clientActs().remove(app.clientId);
    await expectPage(await send(app.authorizeUrl(CHALLENGE)), 400);
    await expectOAuthError(await app.refresh(tokens.refresh_token), 401, "invalid_client");
    travel(REACH_SECONDS);
    expect((await isolate.search(tokens.access_token)).status).toBe(403);
  });
});
