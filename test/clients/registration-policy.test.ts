import type { InstanceRecord } from "#instance/instances.ts";
import { HOSTS } from "#clients/hosts.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, CHALLENGE, REDIRECT_URI, register } from "../support/app-client.ts";
import { signedInDirectly } from "../support/direct-sso.ts";
import { env } from "../support/isolate.ts";
import { expectOAuthError, expectPage } from "../support/oauth-answers.ts";
import { approveClient, changeSettings, makeInstance, ORIGIN, send, travel } from "../support/world.ts";

describe("the instance's policy for registrations (RFC 7591 §3)", () => {
  let instance: InstanceRecord;

  beforeAll(async () => {
    instance = await makeInstance();
  });
  afterEach(() => void vi.useRealTimers());

  /** Returns the status of the page after the sign-in, and whether it says that the app waits for approval. */
  async function pageFor(app: AppClient): Promise<[status: number, waits: boolean]> {
    const page = await app.browser(signedInDirectly("ben", send)).visit(app.authorizeUrl(CHALLENGE));
    return "status" in page ? [page.status, page.html.includes("waits for approval")] : [0, false];
  }

  async function policy(registration: string, ...approvedRedirectUris: string[]): Promise<void> {
    await changeSettings("acme", { registration, approvedRedirectUris });
  }

  /** Registers a client and returns its redirect URIs, or the error. */
  async function registerFor(...redirect_uris: string[]): Promise<string[] | string> {
    const response = await register({ redirect_uris, token_endpoint_auth_method: "none" });
    const answer = await response.json<{ redirect_uris: string[]; error?: string }>();
    return answer.error ?? answer.redirect_uris;
  }

  async function metadata(): Promise<Record<string, unknown>> {
    return (await send("/.well-known/oauth-authorization-server")).json();
  }

  it("open: lets every app register and connect immediately", async () => {
    await policy("open");
    expect(await (await AppClient.registered()).tokens()).toHaveProperty("access_token");
    expect(await metadata()).toHaveProperty("registration_endpoint");
  });

  it("approved: lets an app register only if its redirect URI is approved", async () => {
    await policy("approved", "https://good.example/cb");
    expect(await registerFor("https://good.example/cb")).toEqual(["https://good.example/cb"]);
    expect(await registerFor("https://bad.example/cb")).toBe("invalid_redirect_uri");
    expect(await registerFor(REDIRECT_URI)).toBe("invalid_redirect_uri");
    await policy("approved");
    expect(await registerFor("https://good.example/cb")).toBe("invalid_redirect_uri");
  });

  it("approved: narrows a mixed list to the approved redirect URIs, and authorization accepts no other", async () => {
    await policy("approved", "https://good.example/cb", "http://127.0.0.1/cb");
    const mixed = ["https://bad.example/cb", "https://good.example/cb", "cursor://other/cb", "http://127.0.0.1:9/cb"];
    const response = await register({ redirect_uris: mixed, token_endpoint_auth_method: "none" });
    const { client_id, redirect_uris } = await response.json<{ client_id: string; redirect_uris: string[] }>();
    expect(redirect_uris).toEqual(["https://good.example/cb", "http://127.0.0.1:9/cb"]);
    for (const uri of mixed) {
      const answer = await send(AppClient.of(client_id, uri).authorizeUrl(CHALLENGE));
      expect(answer.status).toBe(redirect_uris.includes(uri) ? 302 : 400);
    }
  });

  it("approved: refuses a list with an invalid redirect URI instead of leaving it out", async () => {
    await policy("approved", "https://good.example/*");
    expect(await registerFor("https://good.example/cb", "javascript:alert(1)")).toBe("invalid_redirect_uri");
  });

  it.each([
    ["https://good.example/oauth/42", true],
    ["https://good.example/oauth/", true],
    ["https://good.example/oauth/a/b", false],
    ["https://good.example/oauth/42/", false],
    ["https://good.example/oauth/42?next=https://bad.example", false],
    ["https://good.example/oauth/a%2Fb", false],
    ["https://good.example.bad.example/oauth/42", false],
    ["https://bad.example/oauth/42", false],
    ["https://good.example:8443/oauth/42", false],
    ["http://good.example/oauth/42", false],
    ["https://good.example/OAUTH/42", false],
  ])("approved: with the pattern https://good.example/oauth/*, %s is approved: %s", async (uri, isApproved) => {
    await policy("approved", "https://good.example/oauth/*");
    expect(await registerFor(uri)).toEqual(isApproved ? [uri] : "invalid_redirect_uri");
  });

  it.each([
    ["chatgpt", "https://chatgpt.com/connector/oauth/abc123"],
    ["claude", "https://claude.ai/api/mcp/auth_callback"],
    ["claude-code", "http://localhost:54212/callback"],
    ["cursor", "cursor://anysphere.cursor-mcp/oauth/callback"],
    ["vscode", "http://127.0.0.1:33418"],
  ])("approved: accepts %s as the name of its host, and of no other", async (name, uri) => {
    await policy("approved", name);
    expect(await registerFor(uri)).toEqual([uri]);
    expect(await registerFor("https://bad.example/cb")).toBe("invalid_redirect_uri");
    await policy("approved", ...HOSTS.map(({ id }) => id).filter((other) => other !== name));
    expect(await registerFor(uri)).toBe("invalid_redirect_uri");
  });

  it.each(["https://*/cb", "https://*.good.example/cb", "*", "https://good.example/cb?*", "toString", "__proto__"])(
    "approved: can't be set to %s, which would approve nothing even if it were stored",
    async (approval) => {
      await policy("approved", "https://good.example/cb");
      await expect(policy("approved", approval)).rejects.toMatchObject({ member: "approvedRedirectUris" });
      expect(await registerFor("https://good.example/cb")).toEqual(["https://good.example/cb"]);
      await env.DB.prepare(
        "UPDATE instances SET settings = json_set(settings, '$.approvedRedirectUris', json_array(?1))",
      )
        .bind(approval)
        .run();
      servicesOf(env).policySnapshots.expire("acme");
      expect(await registerFor("https://bad.good.example/cb")).toBe("invalid_redirect_uri");
    },
  );

  it("approval: keeps a registration waiting, and its page says so, until an administrator approves it", async () => {
    await policy("approval");
    const app = await AppClient.registered();
    expect(await pageFor(app)).toEqual([403, true]);
    await policy("open");
    expect(await pageFor(app)).toEqual([403, true]);
    expect(await approveClient(instance, app.clientId)).toBe("approved");
    expect(await approveClient(instance, app.clientId)).toBe("not-waiting");
    expect(await app.tokens()).toHaveProperty("access_token");
  });

  it("approval: lets apps that registered before connect without one", async () => {
    await policy("open");
    const app = await AppClient.registered();
    await policy("approval");
    expect(await app.tokens()).toHaveProperty("access_token");
  });

  it("approval: is not given by an app's update of its own registration", async () => {
    await policy("approval");
    const response = await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" });
    const { client_id, registration_access_token } = await response.json<Record<string, string>>();
    const app = AppClient.of(client_id ?? "", REDIRECT_URI);
    const replaced = await send(`/oauth/register/${client_id}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${registration_access_token}` },
      body: JSON.stringify({ client_id, redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" }),
    });
    expect(replaced.status).toBe(200);
    expect(await pageFor(app)).toEqual([403, true]);
  });

  it("approval: keeps the redirect URIs of a waiting registration unchanged", async () => {
    await policy("approval");
    const response = await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" });
    const { client_id = "", registration_access_token } = await response.json<Record<string, string>>();
    const elsewhere = "https://bad.example/cb";
    for (const redirect_uris of [[elsewhere], [REDIRECT_URI, elsewhere]]) {
      const answer = await send(`/oauth/register/${client_id}`, {
        method: "PUT",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${registration_access_token}` },
        body: JSON.stringify({ client_id, redirect_uris, token_endpoint_auth_method: "none" }),
      });
      await expectOAuthError(answer, 400, "invalid_redirect_uri");
    }
    await approveClient(instance, client_id);
    expect((await send(AppClient.of(client_id, REDIRECT_URI).authorizeUrl(CHALLENGE))).status).toBe(302);
    await expectPage(await send(AppClient.of(client_id, elsewhere).authorizeUrl(CHALLENGE)), 400);
  });

  it("approval: doesn't extend to a redirect URI that the app registers later", async () => {
    await policy("approval");
    const response = await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" });
    const { client_id = "", registration_access_token } = await response.json<Record<string, string>>();
    await approveClient(instance, client_id);
    const elsewhere = "https://bad.example/cb";
    await send(`/oauth/register/${client_id}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${registration_access_token}` },
      body: JSON.stringify({ client_id, redirect_uris: [elsewhere], token_endpoint_auth_method: "none" }),
    });
    expect(await pageFor(AppClient.of(client_id, elsewhere))).toEqual([403, true]);
  });

  it("approval: keeps an approved app, however late it was approved", async () => {
    await policy("approval");
    const app = await AppClient.registered({ client_name: "Late" });
    travel(8 * 24 * 3600);
    await approveClient(instance, app.clientId);
    await servicesOf(env).eachHour();
    expect((await send(app.authorizeUrl(CHALLENGE))).status).toBe(302);
  });

  it("approval: keeps an approved app, however often the same app registers again", async () => {
    await policy("approval");
    const repeated = { client_name: "Repeated" };
    const app = await AppClient.registered(repeated, ORIGIN, "198.51.100.30");
    await approveClient(instance, app.clientId);
    for (let n = 0; n < 11; n += 1) await AppClient.registered(repeated, ORIGIN, "198.51.100.30");
    expect((await send(app.authorizeUrl(CHALLENGE))).status).toBe(302);
  });

  it("off: refuses registrations, and the metadata names no endpoint, but what people allowed continues", async () => {
    await policy("open");
    const app = await AppClient.registered({ client_name: "Kept out" });
    const { refresh_token } = await app.tokens();
    await policy("off", "https://good.example/cb");
    await expectOAuthError(await register({ redirect_uris: [REDIRECT_URI] }), 403, "registration_not_enabled");
    await expectOAuthError(await register({}), 403, "registration_not_enabled");
    expect(await metadata()).not.toHaveProperty("registration_endpoint");
    expect((await app.refresh(refresh_token)).status).toBe(200);
    await expectPage(await send(app.authorizeUrl(CHALLENGE)), 403);
  });
});
