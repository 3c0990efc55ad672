import { CLIENT_LIST } from "#clients/client-list.ts";
import { readListQuery } from "#platform/listing.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, register, search } from "../support/app-client.ts";
import { signedInDirectly } from "../support/direct-sso.ts";
import { env } from "../support/isolate.ts";
import { ruleApp } from "../support/service-accounts.ts";
import {
  approveClient,
  changeSettings,
  disableClient,
  enableClient,
  makeInstance,
  policyOf,
  removeClient,
  requireClient,
  send,
  travel,
} from "../support/world.ts";

const ACTOR = "administrator";

interface Registered {
  readonly client_id: string;
  readonly registration_access_token: string;
}

type Metadata = Readonly<Record<string, unknown>>;

const HOSTED = {
  client_name: "Planner",
  redirect_uris: ["https://planner.example/cb"],
  token_endpoint_auth_method: "none",
  scope: "SEARCH",
};
const LOCAL = { ...HOSTED, client_name: "Claude Code", redirect_uris: ["http://localhost:50001/callback"] };
const CLAUDE = { ...HOSTED, client_name: "Claude", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] };

describe("installs of one app", () => {
  let instance: InstanceRecord;
  const { administrationOf, clientDirectory, grants } = servicesOf(env);
  const acts = () => administrationOf(instance, ACTOR).clients;

  beforeAll(async () => {
    instance = await makeInstance("acme", { registration: "approval" });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await env.DB.prepare("DELETE FROM clients").run();
    await changeSettings("acme", { registration: "approval" });
  });

  async function install(metadata: Metadata): Promise<Registered> {
    const response = await register(metadata);
    expect(response.status).toBe(201);
    return response.json<Registered>();
  }

  const stateOf = async ({ client_id }: Registered) => {
    const { isPending, isApproved, isDisabled } = await requireClient(instance, client_id);
    return isDisabled ? "disabled" : isPending ? "waiting" : isApproved ? "approved" : "open";
  };

  const clientOf = ({ client_id }: Registered, { redirect_uris: [redirectUri = ""] } = HOSTED) =>
    AppClient.of(client_id, redirectUri);

  const deny = ({ client_id }: Registered) => acts().deny(client_id);

  /** Updates an install's own registration (RFC 7592 §2.2). */
  const update = ({ client_id, registration_access_token }: Registered, metadata: Metadata) =>
    send(`/oauth/register/${client_id}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${registration_access_token}` },
      body: JSON.stringify({ client_id, ...metadata }),
    });

  const list = async (values: Record<string, string> = {}) =>
    (await clientDirectory.list(instance.id, readListQuery(CLIENT_LIST, new Map(Object.entries(values))))).items;

  it("are approved by one decision, those before it and those after it", async () => {
    const before = [await install(HOSTED), await install(HOSTED), await install({ ...HOSTED, scope: "SEARCH" })];
    expect(await approveClient(instance, before[1]?.client_id ?? "")).toBe("approved");
    const after = await install(HOSTED);
    for (const one of [...before, after]) expect(await stateOf(one)).toBe("approved");
    const app = clientOf(after);
    const page = await app.browser(signedInDirectly("ben", send)).visit(app.authorizeUrl("x".repeat(43)));
    expect(page).toHaveProperty("html", expect.stringMatching(/Approved by \w+’s administrators\./));
  });

  it.each<[string, Metadata, Metadata]>([
    ["a Cyrillic letter", HOSTED, { client_name: "Рlanner" }],
    ["a full-width letter", HOSTED, { client_name: "Ｐlanner" }],
    ["the sign for kelvin", { ...HOSTED, client_name: "Desk" }, { client_name: "Des\u212a" }],
    ["a character without width", HOSTED, { client_name: "Plan\u200bner" }],
    ["a space at the end", HOSTED, { client_name: "Planner " }],
    ["another case", HOSTED, { client_name: "PLANNER" }],
    ["no name", HOSTED, { client_name: undefined }],
    ["a host below the approved one", HOSTED, { redirect_uris: ["https://evil.planner.example/cb"] }],
    [
      "a host that begins like the approved one",
      HOSTED,
      { redirect_uris: ["https://planner.example.evil.example/cb"] },
    ],
    [
      "a host that looks like the approved one",
      HOSTED,
      { redirect_uris: ["https://pIanner.example/cb".toLowerCase()] },
    ],
    ["another port", HOSTED, { redirect_uris: ["https://planner.example:8443/cb"] }],
    ["another address at the same host", HOSTED, { redirect_uris: ["https://planner.example/r/evil"] }],
    ["one more host", HOSTED, { redirect_uris: ["https://planner.example/cb", "https://evil.example/cb"] }],
    ["an address on the person's computer", HOSTED, { redirect_uris: ["http://127.0.0.1/cb"] }],
    [
      "one more address on the person's computer",
      HOSTED,
      { redirect_uris: ["https://planner.example/cb", "http://127.0.0.1/cb"] },
    ],
    ["a private scheme", HOSTED, { redirect_uris: ["planner.example:/cb"] }],
    ["one more scope", HOSTED, { scope: "SEARCH CHAT" }],
    ["another way to authenticate", HOSTED, { token_endpoint_auth_method: "client_secret_basic" }],
    ["another page about itself", HOSTED, { client_uri: "https://evil.example/" }],
    ["no requirement any more", { ...HOSTED, dpop_bound_access_tokens: true }, { dpop_bound_access_tokens: false }],
    [
      "a remote host beside the computer",
      LOCAL,
      { redirect_uris: ["http://localhost/callback", "https://evil.example/cb"] },
    ],
    ["the name of a known host, on the computer", CLAUDE, { redirect_uris: ["http://localhost/callback"] }],
    [
      "a known host and the computer",
      CLAUDE,
      { redirect_uris: [...CLAUDE.redirect_uris, "http://localhost/callback"] },
    ],
    [
      "a host that only resembles a known one",
      CLAUDE,
      { redirect_uris: ["https://claude.ai.evil.example/api/mcp/auth_callback"] },
    ],
    ["another address at a known host", CLAUDE, { redirect_uris: ["https://claude.ai/evil"] }],
  ])("don't lend their approval to one with %s", async (_, approved, changes) => {
    const first = await install(approved);
    await approveClient(instance, first.client_id);
    expect(await stateOf(await install(approved))).toBe("approved");
    expect(await stateOf(await install({ ...approved, ...changes }))).toBe("waiting");
  });

  it.each<[string, Metadata, Metadata]>([
    ["fewer scopes", { ...HOSTED, scope: "SEARCH CHAT" }, { scope: "CHAT" }],
    ["another port and path on the computer", LOCAL, { redirect_uris: ["http://127.0.0.1:40704/other"] }],
    ["another address of the known host", CLAUDE, { redirect_uris: ["https://claude.com/api/mcp/auth_callback"] }],
  ])("include one with %s", async (_, approved, changes) => {
    await approveClient(instance, (await install(approved)).client_id);
    expect(await stateOf(await install({ ...approved, ...changes }))).toBe("approved");
  });

  it("are one row, with all installs and people, which waits while one of them does", async () => {
    const installs = [await install(HOSTED), await install(HOSTED), await install({ ...HOSTED, scope: "SEARCH CHAT" })];
    await install(LOCAL);
    expect((await list({ state: "waiting", sort: "name" })).map(({ name, installs: count }) => [name, count])).toEqual([
      ["Claude Code", 1],
      ["Planner", 3],
    ]);
    await approveClient(instance, installs[0]?.client_id ?? "");
    expect((await list({ state: "waiting", search: "Planner" })).map(({ id }) => id)).toEqual([installs[2]?.client_id]);
    await approveClient(instance, installs[2]?.client_id ?? "");
    for (const [at, sub] of [0, 1].entries())
      await clientOf(installs[at] as Registered).tokens(sub === 0 ? "ben" : "ada");
    const [row] = await list({ search: "Planner" });
    expect(row).toMatchObject({ installs: 3, isApproved: true, deniedInstalls: 0 });
    const policy = await policyOf(instance);
    expect(await grants.reach(policy, row?.id)).toMatchObject({ people: 2, grants: 2 });
    expect((await grants.reachOfEach(policy, [row?.id ?? ""])).get(row?.id ?? "")).toMatchObject({ people: 2 });
  });

  it("are disabled together: no install gets or keeps tokens, and no later one may register, until they are enabled", async () => {
    const [first, second] = [await install(HOSTED), await install(HOSTED)];
    await approveClient(instance, first.client_id);
    const tokens = await clientOf(second).tokens("ben", { scope: "SEARCH offline_access" });
    await disableClient(instance, first.client_id);
    travel(10);
    expect((await search(tokens.access_token)).status).toBe(403);
    expect((await clientOf(second).refresh(tokens.refresh_token)).status).toBeGreaterThanOrEqual(400);
    expect([await stateOf(first), await stateOf(second)]).toEqual(["disabled", "disabled"]);
    const refused = await register(HOSTED);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ error: "registration_not_enabled" }),
    ]);
    await enableClient(instance, second.client_id);
    vi.useRealTimers();
    expect((await search(tokens.access_token)).status).not.toBe(403);
    expect(await stateOf(await install(HOSTED))).toBe("approved");
  });

  it("wait again once administrators have deleted the app", async () => {
    const [first, second] = [await install(HOSTED), await install(HOSTED)];
    await approveClient(instance, first.client_id);
    await removeClient(instance, second.client_id);
    expect(await list()).toEqual([]);
    expect(await stateOf(await install(HOSTED))).toBe("waiting");
  });

  it("stay approved when one that asks for more is denied, and so do later ones", async () => {
    const good = await install(HOSTED);
    await approveClient(instance, good.client_id);
    const bad = await install({ ...HOSTED, client_uri: "https://evil.example/" });
    expect(await deny(bad)).toBe(true);
    expect([await stateOf(good), await stateOf(bad)]).toEqual(["approved", "disabled"]);
    expect(await stateOf(await install(HOSTED))).toBe("approved");
    expect((await register({ ...HOSTED, client_uri: "https://evil.example/" })).status).toBe(403);
    expect(await stateOf(await install({ ...HOSTED, client_uri: "https://planner.example/" }))).toBe("waiting");
    expect((await list())[0]).toMatchObject({ installs: 4, deniedInstalls: 1, isDisabled: false });
  });

  it("can't get an approval, and then become another app", async () => {
    await approveClient(instance, (await install({ ...HOSTED, scope: "SEARCH CHAT" })).client_id);
    const attacker = await install({ ...HOSTED, scope: "SEARCH CHAT" });
    expect(await stateOf(attacker)).toBe("approved");
    // Narrower than what was approved: nothing here may make the next step look harmless.
    await update(attacker, { ...HOSTED, scope: "SEARCH" });
    await update(attacker, { ...HOSTED, scope: "SEARCH", client_name: "Payroll" });
    expect(await stateOf(attacker)).toBe("waiting");
    await update(attacker, { ...HOSTED, scope: "SEARCH CHAT DOCUMENTS" });
    expect(await stateOf(attacker)).toBe("waiting");
  });

  it("can't leave a disabled app, join one, or shed what is required of one, by changing their registration", async () => {
    const [blocked, free] = [await install(HOSTED), await install(LOCAL)];
    await disableClient(instance, blocked.client_id);
    expect((await update(blocked, LOCAL)).status).toBe(401);
    await update(free, { ...LOCAL, client_name: "Other" });
    expect((await update(await install({ ...HOSTED, client_name: "Other" }), HOSTED)).status).toBe(403);

    const strict = await install({ ...HOSTED, client_name: "Strict" });
    const seen = await requireClient(instance, strict.client_id);
    await acts().change(seen, { requirements: ["dpop"] });
    const later = await install({ ...HOSTED, client_name: "Strict" });
    const joining = await install({ ...HOSTED, client_name: "Joining" });
    expect((await update(joining, { ...HOSTED, client_name: "Strict" })).status).toBe(200);
    for (const one of [later, joining]) {
      expect((await requireClient(instance, one.client_id)).requirements).toEqual(["dpop"]);
    }
  });

  it("share what is required of the app with those that were denied, which may be enabled", async () => {
    const good = await install(HOSTED);
    await approveClient(instance, good.client_id);
    const bad = await install({ ...HOSTED, client_uri: "https://evil.example/" });
    await deny(bad);
    await acts().change(await requireClient(instance, good.client_id), { requirements: ["dpop"] });
    travel(1);
    await enableClient(instance, bad.client_id);
    for (const one of [bad, await install(HOSTED)]) {
      expect((await requireClient(instance, one.client_id)).requirements).toEqual(["dpop"]);
    }
  });

  it("can't leave the rules of their app, or keep an approval without them, by becoming another app that people take for it", async () => {
    for (const [asked, changes] of [
      [{}, { client_name: "Plan\u200bner" }],
      [{ redirect_uris: ["https://planner.example/cb", "https://b.example/cb"] }, {}],
    ] as const) {
      const one = await install({ ...HOSTED, ...asked });
      await approveClient(instance, one.client_id);
      expect((await update(one, { ...HOSTED, ...changes })).status).toBe(200);
      expect(await stateOf(one)).toBe("waiting");
    }
    await changeSettings("acme", { registration: "open" });
    const used = await install(LOCAL);
    await clientOf(used, LOCAL).tokens();
    const renamed = await update(used, { ...LOCAL, client_name: "Other" });
    expect([renamed.status, await renamed.json()]).toMatchObject([400, { error: "invalid_client_metadata" }]);
    expect((await update(used, { ...LOCAL, client_uri: "https://planner.example/" })).status).toBe(200);
  });

  it("are counted and swept like any other while nobody uses them, so that an approval is no way to fill storage", async () => {
    await approveClient(instance, (await install(LOCAL)).client_id);
    const unused = await install(LOCAL);
    travel(30 * 86_400);
    await servicesOf(env).eachHour();
    expect(await clientDirectory.find(instance.id, unused.client_id)).toBeNull();
    expect(await stateOf(await install(LOCAL))).toBe("approved");
  });

  it("share the app's rules, also later ones, and their running tokens follow within ten seconds", async () => {
    await changeSettings("acme", { registration: "open" });
    const first = await install(HOSTED);
    const { app } = await requireClient(instance, first.client_id);
    const tokens = await clientOf(first).tokens("ben", { scope: "SEARCH" });
    await ruleApp(instance, app, [{ group: "nobody", scopes: ["SEARCH"] }]);
    travel(10);
    expect((await search(tokens.access_token)).status).toBe(403);
    await expect(clientOf(await install(HOSTED)).tokens("ben", { scope: "SEARCH" })).rejects.toThrow();
    await expect(ruleApp(instance, first.client_id, [{ group: "x", scopes: ["SEARCH"] }])).rejects.toThrow(
      "no such app",
    );
    await ruleApp(instance, app, []);
  });
});
