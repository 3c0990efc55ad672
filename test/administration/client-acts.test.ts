import type { ClientActs } from "#administration/client-acts.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { readListQuery } from "#platform/listing.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { SCOPES } from "#protocol/scopes.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verifyWhole } from "../support/audit-entries.ts";
import { AppClient, register, REDIRECT_URI } from "../support/app-client.ts";
import { env } from "../support/isolate.ts";
import { expectTokens } from "../support/oauth-answers.ts";
import {
  approveClient,
  changeSettings,
  makeInstance,
  makeStaticClient,
  requireClient,
  send,
} from "../support/world.ts";

const ACTOR = "administrator";

interface Registered {
  readonly client_id: string;
  readonly registration_access_token: string;
}

describe("administrators' decisions about clients", () => {
  let instance: InstanceRecord;
  let clientActs: ClientActs;
  const { administrationOf, audit, auditVerification } = servicesOf(env);

  beforeAll(async () => {
    instance = await makeInstance();
    clientActs = administrationOf(instance, ACTOR).clients;
  });
  beforeEach(() => changeSettings("acme", { registration: "open" }));
  // Each test registers the same app, and decisions hold for later installs.
  afterEach(() => env.DB.prepare("DELETE FROM clients").run());

  /** Returns a client's events in the audit, oldest first. */
  async function eventsOf(clientId: string): Promise<string[]> {
    const events: string[] = [];
    for await (const line of audit.export(instance.id)) {
      const entry = JSON.parse(line) as { event: string; detail: { clientId?: string } };
      if (entry.detail.clientId === clientId) events.push(entry.event);
    }
    return events;
  }

  /** Registers a client that waits for an administrator's approval. */
  async function waiting(): Promise<Registered> {
    await changeSettings("acme", { registration: "approval" });
    const metadata = {
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
      client_name: "Waiting",
      scope: "SEARCH",
    };
    return (await register(metadata)).json<Registered>();
  }

  /** Updates a client's own registration (RFC 7592 §2.2). */
  function update({ client_id, registration_access_token }: Registered, changes: Record<string, unknown>) {
    const metadata = {
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
      client_name: "Waiting",
      scope: "SEARCH",
    };
    return send(`/oauth/register/${client_id}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${registration_access_token}` },
      body: JSON.stringify({ client_id, ...metadata, ...changes }),
    });
  }

  it("are recorded exactly if they change something", async () => {
    const { client } = await makeStaticClient(instance, { tokenEndpointAuthMethod: "client_secret_basic" });
    await clientActs.change(await requireClient(instance, client.id), { name: "Renamed" });
    await clientActs.rotateSecret(client.id);
    expect(await clientActs.disable(client.id)).toBe(true);
    expect(await clientActs.disable(client.id)).toBe(false);
    expect(await clientActs.enable(client.id)).toBe(true);
    expect(await clientActs.enable(client.id)).toBe(false);
    expect(await clientActs.remove(client.id)).toBe(true);
    expect(await clientActs.remove(client.id)).toBe(false);
    expect(await eventsOf(client.id)).toEqual([
      "client_created",
      "client_changed",
      "client_secret_rotated",
      "client_disabled",
      "client_enabled",
      "client_removed",
    ]);
    expect(await verifyWhole(auditVerification, instance.id)).not.toHaveProperty("broken");
  });

  it("are refused for a disabled client: no new secret, no change", async () => {
    const { client } = await makeStaticClient(instance, { tokenEndpointAuthMethod: "client_secret_post" });
    await clientActs.disable(client.id);
    await expect(clientActs.rotateSecret(client.id)).rejects.toThrow("disabled");
    const seen = await requireClient(instance, client.id);
    await expect(clientActs.change(seen, { name: "Renamed" })).rejects.toThrow("disabled");
    expect(await eventsOf(client.id)).toEqual(["client_created", "client_disabled"]);
  });

  it("leave the secret of an app that registered itself to the app", async () => {
    const app = await AppClient.registered({ client_name: "Own", token_endpoint_auth_method: "client_secret_post" });
    await expect(clientActs.rotateSecret(app.clientId)).rejects.toThrow("no secret");
    await expectTokens(await app.refresh((await app.tokens()).refresh_token));
  });

  it("never give a secret to a client without one", async () => {
    const { client } = await makeStaticClient(instance);
    await expect(clientActs.rotateSecret(client.id)).rejects.toThrow("no secret");
    expect((await requireClient(instance, client.id)).isPublic).toBe(true);
  });

  it("don't overwrite what another administrator changed meanwhile", async () => {
    const { client } = await makeStaticClient(instance, { scopes: SCOPES });
    const seen = await requireClient(instance, client.id);
    await clientActs.change(seen, { scopes: ["CHAT"] });
    await expect(clientActs.change(seen, { scopes: ["SEARCH", "CHAT"] })).rejects.toThrow("reload");
    expect((await requireClient(instance, client.id)).scopes).toEqual(["CHAT"]);
  });

  it("have only one outcome if twenty are made at once", async () => {
    const { client_id } = await waiting();
    const seen = await requireClient(instance, client_id);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? clientActs.approve(seen) : clientActs.deny(client_id))),
    );
    expect(outcomes.filter((outcome) => outcome === "approved" || outcome === true)).toHaveLength(1);
    expect(await eventsOf(client_id)).toHaveLength(1);
  });

  it("keep a denied client denied, and out of the list of waiting clients", async () => {
    const { client_id } = await waiting();
    await clientActs.deny(client_id);
    expect(await approveClient(instance, client_id)).toBe("not-waiting");
    const query = readListQuery(CLIENT_LIST, new Map([["state", "waiting"]]));
    const { items: clients } = await servicesOf(env).clientDirectory.list(instance.id, query);
    expect(clients.map(({ id }) => id)).not.toContain(client_id);
    expect((await send(AppClient.of(client_id, REDIRECT_URI).authorizeUrl("x"))).status).toBe(400);
  });

  it("approve a client only as it was seen, and not after it has changed itself", async () => {
    const registered = await waiting();
    const seen = await requireClient(instance, registered.client_id);
    expect((await update(registered, { client_name: "Claude" })).status).toBe(200);
    expect(await clientActs.approve(seen)).toBe("changed");
    expect((await requireClient(instance, registered.client_id)).isPending).toBe(true);
  });

  it.each<[string, Record<string, unknown>, boolean]>([
    ["another name", { client_name: "Claude" }, true],
    ["another page about itself", { client_uri: "https://claude.example/" }, true],
    ["another privacy policy", { policy_uri: "https://claude.example/privacy" }, true],
    ["other terms", { tos_uri: "https://claude.example/terms" }, true],
    ["one more redirect URI", { redirect_uris: [REDIRECT_URI, "https://app.example/cb"] }, true],
    ["one more scope", { scope: "SEARCH CHAT" }, true],
    ["the same again", {}, false],
  ])("determine whether an approved client waits again when it takes %s", async (_, changes, waits) => {
    const registered = await waiting();
    await approveClient(instance, registered.client_id);
    expect((await update(registered, changes)).status).toBe(200);
    expect(await requireClient(instance, registered.client_id)).toMatchObject({ isPending: waits, isApproved: !waits });
  });

  it("lose an approval when the client changes itself, even while no approval is needed", async () => {
    const registered = await waiting();
    await approveClient(instance, registered.client_id);
    await changeSettings("acme", { registration: "open" });
    await update(registered, { client_name: "Claude" });
    expect(await requireClient(instance, registered.client_id)).toMatchObject({ isPending: false, isApproved: false });
  });

  it("take effect even if the client changes itself at the same moment", async () => {
    const registered = await waiting();
    await approveClient(instance, registered.client_id);
    const [, disabled] = await Promise.all([
      update(registered, { client_name: "Claude" }),
      clientActs.disable(registered.client_id),
    ]);
    expect(disabled).toBe(true);
    expect(await requireClient(instance, registered.client_id)).toMatchObject({ isDisabled: true });
  });
});
