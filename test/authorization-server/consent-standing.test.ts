import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, register } from "../support/app-client.ts";
import { DirectGrants, type PendingConsent } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { approveClient, changeSettings, makeInstance, requireClient, send } from "../support/world.ts";

const REDIRECT = "https://app.example/cb";
const OTHER_REDIRECT = "https://app.example/other";

describe("an authorization request whose app changes meanwhile (OAuth 2.1 §7.3, RFC 9700 §4.11)", () => {
  let instance: InstanceRecord;

  beforeAll(async () => {
    instance = await makeInstance("acme", { registration: "approval" });
  });

  /** Opens the consent page and allows what it asks for. Returns the statuses, the page and where the answer leads. */
  async function answered({ handle, browser, csrfToken }: PendingConsent) {
    const headers = { Cookie: `gatehouse-browser=${browser}` };
    const page = await send(`/oauth/consent?request=${handle}`, { headers });
    const form = { request: handle, csrf_token: csrfToken, decision: "allow", scope: "SEARCH" };
    const post = await send("/oauth/consent", { method: "POST", headers, body: new URLSearchParams(form) });
    return { statuses: [page.status, post.status], html: await page.text(), to: post.headers.get("Location") };
  }

  async function makeApp(): Promise<AppClient> {
    return AppClient.madeByAdministrator(instance, { redirectUris: [REDIRECT, OTHER_REDIRECT] });
  }

  async function leave(app: AppClient, redirectUris: readonly string[]): Promise<void> {
    const seen = await requireClient(instance, app.clientId);
    await servicesOf(env).administrationOf(instance, "test").clients.change(seen, { redirectUris });
  }

  it("sends no code to a redirect URI that an administrator removed, but one to a URI that remains", async () => {
    const [kept, taken] = [await makeApp(), await makeApp()];
    const direct = new DirectGrants(instance);
    const [ofKept, ofTaken] = [await direct.awaitConsent(kept), await direct.awaitConsent(taken)];
    await leave(kept, [REDIRECT]);
    await leave(taken, [OTHER_REDIRECT]);
    expect((await answered(ofKept)).to).toMatch(/^https:\/\/app\.example\/cb\?code=/);
    expect(await answered(ofTaken)).toMatchObject({ statuses: [400, 400], to: null });
  });

  it("doesn't lead a cancelled sign-in to a redirect URI that was removed", async () => {
    const app = await makeApp();
    const { state, browser } = await new DirectGrants(instance).awaitSignIn(app);
    await leave(app, [OTHER_REDIRECT]);
    const headers = { Cookie: `gatehouse-browser=${browser}` };
    const back = await send(`/oauth/callback?error=access_denied&state=${state}`, { headers });
    expect([back.status, back.headers.get("Location")]).toEqual([400, null]);
  });

  it("gives no code under the new name of an app that was approved under another: it waits again", async () => {
    const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", client_name: "Notebook" };
    const registered = await (await register(metadata)).json<Record<string, string>>();
    const { client_id: clientId = "", registration_access_token: token } = registered;
    await approveClient(instance, clientId);
    const pending = await new DirectGrants(instance).awaitConsent(AppClient.of(clientId, REDIRECT));
    const renamed = await send(`/oauth/register/${clientId}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ ...metadata, client_id: clientId, client_name: "Payroll" }),
    });
    expect(renamed.status).toBe(200);
    const answer = await answered(pending);
    expect(answer).toMatchObject({ statuses: [403, 303], to: expect.stringContaining("error=access_denied") });
    expect(answer.to).not.toContain("code=");
    expect(answer.html).toContain("Payroll</bdi> waits for approval");
  });

  it("is refused for an app with a metadata document once an administrator no longer accepts those", async () => {
    const clientId = "https://app.example/client.json";
    const now = Math.floor(Date.now() / 1000);
    await env.DB.prepare(
      `INSERT INTO clients (id, instance_id, kind, app, name, redirect_uris, scopes, token_endpoint_auth_method, is_public, created_at, changed_at)
       VALUES (?1, ?2, 'document', ?1, 'Notebook', ?3, '["SEARCH"]', 'none', 1, ?4, ?4)`,
    )
      .bind(clientId, instance.id, JSON.stringify([REDIRECT]), now)
      .run();
    const direct = new DirectGrants(instance);
    const app = AppClient.of(clientId, REDIRECT);
    const [before, after] = [await direct.awaitConsent(app), await direct.awaitConsent(app)];
    expect((await answered(before)).to).toContain("code=");
    await changeSettings("acme", { clientIdMetadataDocuments: false });
    expect(await answered(after)).toMatchObject({ statuses: [400, 400], to: null });
  });
});
