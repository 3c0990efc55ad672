import { ASSERTIONS_OF_STRANGERS_MAX } from "#clients/client-assertions.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { STRANGERS } from "#platform/outgoing-fetch.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { AppClient, CHALLENGE, postForm } from "../support/app-client.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { DocumentHost } from "../support/document-host.ts";
import { env } from "../support/isolate.ts";
import { expectOAuthError } from "../support/oauth-answers.ts";
import { exhaust } from "../support/rate-limits.ts";
import { makeInstance, send, travel } from "../support/world.ts";

const JWKS_URI = "https://app.example/jwks.json";
const REDIRECT = "https://app.example/cb";

describe("apps for which nobody vouches (docs/limits.md)", () => {
  let instance: InstanceRecord;
  let grants: DirectGrants;
  let key: ClientKey;
  let host: DocumentHost;

  beforeAll(async () => {
    instance = await makeInstance();
    grants = new DirectGrants(instance);
    key = await ClientKey.make();
  });
  beforeEach(() => {
    host = new DocumentHost();
    host.publish(JWKS_URI, { keys: [key.publicJwk] });
  });
  afterEach(() => vi.useRealTimers());

  const registered = (keys: Record<string, unknown> = { jwks: { keys: [key.publicJwk] } }) =>
    AppClient.registered({ token_endpoint_auth_method: "private_key_jwt", ...keys });

  /** Introspects an unknown token: 200 means that the client is authenticated. */
  const introspect = async ({ clientId }: AppClient, headers: Record<string, string> = {}) =>
    postForm("/oauth/introspect", { token: "none", ...(await key.authenticates(clientId)) }, headers);

  it("have no key set with many parts read, and nothing of what they publish is stored", async () => {
    const put = vi.spyOn(env.CACHE, "put");
    // Once parsed, it takes ten times its size.
    const nested = `{"keys":[${JSON.stringify(key.publicJwk)}],"pad":[${"[],".repeat(10_000)}[]]}`;
    host.answer("https://app.example/nested.json", () => new Response(nested));
    const evil = await registered({ jwks_uri: "https://app.example/nested.json" });
    expect((await introspect(evil)).status).toBe(503);
    expect((await introspect(await registered({ jwks_uri: JWKS_URI }))).status).toBe(200);
    expect(put).not.toHaveBeenCalled();
  });

  it("have nothing of their documents stored in KV before somebody allows them, and then only what is used", async () => {
    const put = vi.spyOn(env.CACHE, "put");
    const app = AppClient.of("https://app.example/clients/stored.json", REDIRECT);
    const named = { client_id: app.clientId, client_name: "App", redirect_uris: [REDIRECT] };
    host.publish(app.clientId, { ...named, unknown_member: [[], []] });
    const authorize = async () => (await send(app.authorizeUrl(CHALLENGE))).status;
    expect([await authorize(), await authorize()]).toEqual([302, 302]);
    const stored = () => put.mock.calls.filter(([name]) => name.startsWith("client-document"));
    expect([stored().length, host.asked.length]).toEqual([0, 1]);
    await grants.grant(app);
    travel(5 * 60 + 5);
    expect(await authorize()).toBe(302);
    expect(stored()).toHaveLength(1);
    expect(JSON.stringify(stored())).toContain("redirect_uris");
    expect(JSON.stringify(stored())).not.toContain("unknown_member");
  });

  it("don't keep the document of a known host from being read, however many of theirs take long", async () => {
    const { promise: hanging, resolve } = Promise.withResolvers<void>();
    const slow = Array.from({ length: STRANGERS.atOnceMax ?? 0 }, (_, at) => `https://app.example/slow/${at}.json`);
    for (const url of slow) host.answer(url, () => hanging.then(() => new Response("{}", { status: 404 })));
    const claude = "https://claude.ai/oauth/claude-code-client-metadata";
    const redirect = "http://localhost/callback";
    host.publish(claude, { client_id: claude, client_name: "Claude Code", redirect_uris: [redirect] });
    const authorize = async (id: string, uri: string) =>
      (await send(AppClient.of(id, uri).authorizeUrl(CHALLENGE))).status;
    const underway = slow.map((id) => authorize(id, REDIRECT));
    await vi.waitFor(() => expect(host.asked.length).toBe(slow.length));
    expect(await authorize("https://app.example/clients/another.json", REDIRECT)).toBe(429);
    expect(await authorize(claude, redirect)).toBe(302);
    resolve();
    await Promise.all(underway);
  });

  it("are limited by network when they authenticate, and don't hinder apps that somebody allowed", async () => {
    const known = await registered({ jwks_uri: JWKS_URI });
    await grants.grant(known);
    const unknown = await registered();
    const from = { "CF-Connecting-IP": "203.0.113.77" };
    const { before, after } = await exhaust("RATE_LIMIT_60", () => introspect(unknown, from));
    expect([before.status, after.status, (await introspect(known, from)).status]).toEqual([200, 429, 200]);
  });

  it("are refused beyond their share of the assertions in use, and others are not", async () => {
    const [unknown, another, known] = [await registered(), await registered(), await registered()];
    await grants.grant(known);
    const forget = () => env.DB.prepare("DELETE FROM spent_ids WHERE instance_id = ?1").bind(instance.id).run();
    await forget();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO spent_ids SELECT ?1, 'client_assertion', i, 4e9, 'strangers' FROM n`,
    )
      .bind(instance.id, ASSERTIONS_OF_STRANGERS_MAX - 1)
      .run();
    expect((await introspect(unknown)).status).toBe(200);
    for (const app of [unknown, another]) await expectOAuthError(await introspect(app), 429, "slow_down");
    expect((await introspect(known)).status).toBe(200);
    await forget();
    expect((await introspect(unknown)).status).toBe(200);
  });
});
