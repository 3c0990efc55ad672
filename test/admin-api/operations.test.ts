import { type AdminOperation, scopeOf } from "#admin-api/operation.ts";
import { ADMIN_OPERATIONS } from "#admin-api/operations.ts";
import { parseDescription } from "#custom-metadata/schema-request.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { ADMIN_SCOPES } from "#protocol/admin-scopes.ts";
import type { TokenDraft } from "#service-tokens/token-draft.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AdminApi, AdminApiRefused, conditionOf } from "../../scripts/admin/admin-api.ts";
import { UsageError } from "../../scripts/admin/failures.ts";
import { makeChanges } from "../../scripts/admin/declared/making.ts";
import {
  type DeclaredState,
  exportState,
  PARTS,
  planFor,
  requireDeclaredState,
} from "../../scripts/admin/declared/state.ts";
import { auditEntries } from "../support/audit-entries.ts";
import { AppClient } from "../support/app-client.ts";
import { setRole } from "../support/console-browser.ts";
import { ADMIN_CALLS, callAdmin, callOperation, commandToken, ISSUER_SETTINGS } from "../support/admin-calls.ts";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { DocumentHost } from "../support/document-host.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { issueToken, secretsOf } from "../support/service-tokens.ts";
import { changeSettings, makeInstance, makeStaticClient, ORIGIN, send } from "../support/world.ts";

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
  readonly nextCursor: string | null;
  readonly previousCursor: string | null;
}

let instance: InstanceRecord;
let everything: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  instance = await makeInstance();
  everything = await adminToken(ADMIN_SCOPES);
});

function adminToken(scopes: readonly string[], limits: Partial<TokenDraft> = {}) {
  return issueToken(instance, { kind: "admin", scopes, lifetimeSeconds: 7200, ...limits });
}

async function lastEntry() {
  const [entry] = await auditEntries(instance, undefined, 1);
  return entry;
}

async function page(path: string): Promise<Page> {
  const response = await callAdmin(everything.secret, "GET", path);
  expect(response.status).toBe(200);
  return response.json<Page>();
}

/** Returns one member of every item. */
async function column(path: string, name: string): Promise<unknown[]> {
  return (await page(path)).items.map((item) => item[name]);
}

describe("the operations of the Admin API", () => {
  it("each have a sample call in this test", () => {
    expect(Object.keys(ADMIN_CALLS).sort()).toEqual(Object.keys(ADMIN_OPERATIONS).sort());
  });

  const isOwners = ([, operation]: [string, AdminOperation]) => scopeOf(operation) === "owner";

  it.each(Object.entries(ADMIN_OPERATIONS).filter((each) => !isOwners(each)))(
    "%s succeeds with its scope and with no other",
    async (route, operation) => {
      const identityProviders = new DocumentHost();
      const scope = scopeOf(operation);
      const others = await adminToken(ADMIN_SCOPES.filter((each) => each !== scope));
      const sample = (await ADMIN_CALLS[route]?.(instance)) ?? {};
      const refused = await callOperation(others.secret, route, sample);
      expect(refused.status).toBe(403);
      expect(readChallenge(refused)).toMatchObject({ realm: "Admin API", error: "insufficient_scope", scope });
      const before = await lastEntry();
      const { id, secret } = await adminToken([scope]);
      const response = await callOperation(secret, route, sample);
      const text = await response.text();
      expect({ route, status: response.status, text }).toMatchObject({ status: operation.creates ? 201 : 200 });
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      if (operation.act === undefined) expect((await lastEntry())?.sequence).toBe((before?.sequence ?? 0) + 1);
      else expect(await lastEntry()).toMatchObject({ actor: id });
      expect(identityProviders.asked.length > 0).toBe(/doctor|check$/.test(route));
    },
  );

  it.each(Object.entries(ADMIN_OPERATIONS).filter(isOwners))(
    "%s succeeds for a command with the master keys, and for no token",
    async (route) => {
      const sample = (await ADMIN_CALLS[route]?.(instance)) ?? {};
      const before = await lastEntry();
      const refused = await callOperation(everything.secret, route, sample);
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ message: expect.stringContaining("Ask an owner") });
      expect(await lastEntry()).toEqual(before);
      const response = await callOperation(await commandToken(route.split(" ")[1] ?? ""), route, sample);
      expect({ route, status: response.status }).toEqual({ route, status: 200 });
      expect(await lastEntry()).toMatchObject({ actor: "command" });
    },
  );

  it("respond 401 without a token", async () => {
    for (const route of Object.keys(ADMIN_OPERATIONS)) {
      const [method = "", path = ""] = route.split(" ");
      const response = await send(`/rest/api/admin/v1${path.replaceAll(/:\w+/g, "x")}`, { method });
      expect({ route, status: response.status }).toEqual({ route, status: 401 });
    }
  });

  it("change nothing when they are repeated", async () => {
    const repeated = Object.keys(ADMIN_OPERATIONS).filter((route) =>
      /\/(disable|enable|revoke|deactivate|reactivate)$/.test(route),
    );
    expect(repeated.length).toBeGreaterThan(6);
    for (const route of repeated) {
      const sample = (await ADMIN_CALLS[route]?.(instance)) ?? {};
      const answers = [];
      for (let time = 1; time <= 2; time += 1) {
        answers.push(await (await callOperation(everything.secret, route, sample)).json());
      }
      expect({ route, answers }).toEqual({ route, answers: [{ changed: true }, { changed: false }] });
    }
  });
});

describe("lists of the Admin API", () => {
  it("are filtered, sorted, counted and read page by page, with each item once", async () => {
    const names = ["Delta", "alpha", "Charlie", "bravo", "Echo"].map((name) => `Listed app ${name}`);
    for (const name of names) await makeStaticClient(instance, { name });
    const sorted = names.toSorted((a, b) => a.localeCompare(b));
    const query = (sort: string) => `/apps?search=listed%20app&kind=static&sort=${sort}&limit=2`;
    for (const [sort, expected] of [
      ["name", sorted],
      ["-name", sorted.toReversed()],
    ] as const) {
      const seen: unknown[] = [];
      const pages: unknown[] = [];
      let cursor: string | null = "";
      let back: string | null = null;
      while (cursor !== null) {
        const { items, total, nextCursor, previousCursor }: Page = await page(
          query(sort) + (cursor === "" ? "" : `&cursor=${cursor}`),
        );
        expect(total).toBe(names.length);
        expect(previousCursor === null).toBe(seen.length === 0);
        pages.push(items);
        seen.push(...items.map(({ name }) => name));
        cursor = nextCursor;
        back = previousCursor;
      }
      expect(seen).toEqual(expected);
      for (const before of pages.toReversed().slice(1)) {
        const { items, nextCursor, previousCursor }: Page = await page(`${query(sort)}&cursor=${back}`);
        expect(items).toEqual(before);
        expect(nextCursor).not.toBeNull();
        back = previousCursor;
      }
      expect(back).toBeNull();
    }
    expect(await column("/apps?search=listed%20app&state=disabled", "name")).toEqual([]);
  });

  it("search the values of items at any depth, and not the names of members", async () => {
    const client = { clientIds: ["portal-of-wales"], audiences: ["api://x"], scopes: ["SEARCH"] };
    const draft = { name: "IdP", issuer: "https://searched.example", ...client, emailDomains: ["acme.example"] };
    expect((await callAdmin(everything.secret, "POST", "/issuers", draft)).status).toBe(201);
    expect(await column("/issuers?search=OF-wales", "issuer")).toEqual([draft.issuer]);
    expect(await column("/issuers?search=emailDomains", "issuer")).toEqual([]);
  });

  it("accept every filter and order that they describe", async () => {
    for (const [route, { list }] of Object.entries(ADMIN_OPERATIONS)) {
      if (!list) continue;
      const path = route.replace("GET ", "");
      const filters = Object.entries(list.filters).flatMap(([name, values]) =>
        (values ?? ["1"]).map((value) => `${name}=${value}`),
      );
      for (const query of [...filters, ...list.sorts.flatMap((sort) => [`sort=${sort}`, `sort=-${sort}&search=a`])]) {
        const response = await callAdmin(everything.secret, "GET", `${path}?limit=1&${query}`);
        expect({ path, query, status: response.status }).toEqual({ path, query, status: 200 });
      }
    }
  });

  it("name the actor of audit entries", async () => {
    await changeSettings("acme", { displayName: "Named" });
    await callAdmin(everything.secret, "PATCH", "/settings", { displayName: "Renamed" });
    const { items } = await page(`/audit?actor=${everything.id}&event=settings&limit=1`);
    expect(items).toMatchObject([
      { actor: everything.id, actorKind: "token", actorName: "test", event: "settings_changed" },
    ]);
  });

  it.each([
    ["/apps?sort=colour", "sort"],
    ["/apps?kind=odd", "kind"],
    ["/apps?limit=501", "limit"],
    ["/apps?cursor=abc", "cursor"],
    ["/apps?colour=blue", "colour"],
    ["/issuers?sort=colour", "sort"],
    ["/settings?colour=blue", "colour"],
    ["/settings?search=x&limit=3", "search"],
    ["/audit/verification?limit=3", "limit"],
    ["/audit/verification?after=-3", "after"],
  ])("refuse %s and name the parameter", async (path, field) => {
    const response = await callAdmin(everything.secret, "GET", path);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "bad_request", field });
  });

  it("accept a cursor only with the order that it was given for", async () => {
    for (const name of ["One", "Two"]) await makeStaticClient(instance, { name });
    const { nextCursor } = await page("/apps?limit=1&sort=name");
    expect((await callAdmin(everything.secret, "GET", `/apps?sort=-name&cursor=${nextCursor}`)).status).toBe(400);
  });
});

describe("changes by the Admin API", () => {
  it.each([
    ["POST", "/apps", { name: "App", scopes: ["SEARCH"], redirectUris: ["http://app.example/cb"] }, "redirectUris"],
    ["POST", "/apps", { name: "App" }, "redirectUris"],
    ["POST", "/apps", { name: "App", redirectUris: ["https://app.example/cb"] }, "scopes"],
    ["POST", "/apps", { name: "App", scopes: [], redirectUris: ["https://app.example/cb"], colour: 1 }, "colour"],
    ["PATCH", "/settings", { accessTokenLifetimeSeconds: 1 }, "accessTokenLifetimeSeconds"],
    ["PATCH", "/settings", { colour: "blue" }, "colour"],
    ["POST", "/tokens", { kind: "magic", name: "t", scopes: [] }, "kind"],
    ["POST", "/tokens", { kind: "admin", name: "t", scopes: ["admin:all"], lifetimeSeconds: 60 }, "scopes"],
    ["POST", "/roles", { email: "nobody", role: "auditor" }, "email"],
    ["POST", "/roles", { email: "ben@acme.example", role: "king" }, "role"],
    ["POST", "/issuers", { issuer: "https://idp.example", name: "" }, "name"],
  ])("%s %s %j is refused with the name of the member", async (method, path, body, field) => {
    const response = await callAdmin(everything.secret, method, path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "bad_request", field });
  });

  it("are made only if nothing has changed since it was read, with If-Match", async () => {
    const { client } = await makeStaticClient(instance);
    const issuer = `/issuers/${encodeURIComponent("https://conditional.example")}`;
    await callAdmin(everything.secret, "PUT", issuer, ISSUER_SETTINGS);
    for (const [method, path, body] of [
      ["PATCH", `/apps/${client.id}`, (name: string) => ({ name })],
      ["PATCH", "/settings", (displayName: string) => ({ displayName })],
      ["PATCH", issuer, (name: string) => ({ name })],
      ["PUT", issuer, (name: string) => ({ ...ISSUER_SETTINGS, name })],
    ] as const) {
      const read = await callAdmin(everything.secret, "GET", path);
      const headers = { "If-Match": read.headers.get("ETag") ?? "" };
      expect((await callAdmin(everything.secret, method, path, body("First"), headers)).status).toBe(200);
      const late = await callAdmin(everything.secret, method, path, body("Second"), headers);
      expect({ path, status: late.status }).toEqual({ path, status: 412 });
      expect((await callAdmin(everything.secret, method, path, body("Third"))).status).toBe(200);
    }
  });

  it("are made to the current state, even if it changes between the comparison and the write", async () => {
    const { metadata } = servicesOf(env).administrationOf(instance, "test");
    const group = (name: string) =>
      parseDescription("raced", { metadataKeys: [{ name, propertyType: "TEXT" as const }] });
    await metadata.replace(group("first"));
    const seen: unknown[] = [];
    await metadata.replace(group("mine"), async (stored) => {
      seen.push(stored?.keys.map(({ name }) => name));
      if (seen.length === 1) await metadata.replace(group("theirs"));
    });
    expect(seen).toEqual([["first"], ["theirs"]]);
  });

  it("give a person only one role if two administrators decide at the same time", async () => {
    const giveRole = (currentRole: string | null) => (role: string) =>
      callAdmin(everything.secret, "POST", "/roles", { email: "raced@acme.example", role, currentRole });
    const statuses = async (answers: Promise<Response>[]) =>
      (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b);
    expect(await statuses(["auditor", "app-manager"].map(giveRole(null)))).toEqual([200, 409]);
    const { id, role } = (await page("/people?search=raced@")).items[0] ?? {};
    const others = ["administrator", role === "auditor" ? "app-manager" : "auditor"];
    expect(await statuses(others.map(giveRole(String(role))))).toEqual([200, 409]);
    expect(
      (await callAdmin(everything.secret, "DELETE", `/roles/${String(id)}?currentRole=${String(role)}`)).status,
    ).toBe(409);
  });

  it("are made to an app that was used since it was read, despite If-Match", async () => {
    const app = await AppClient.madeByAdministrator(instance);
    const { refresh_token = "" } = await app.tokens();
    const path = `/apps/${app.clientId}`;
    await env.DB.prepare("UPDATE grants SET redeemed_at = redeemed_at - 60 WHERE client_id = ?1")
      .bind(app.clientId)
      .run();
    const read = await callAdmin(everything.secret, "GET", path);
    const headers = { "If-Match": read.headers.get("ETag") ?? "" };
    const { lastUsedAt } = await read.json<{ lastUsedAt: number }>();
    expect((await app.refresh(refresh_token)).status).toBe(200);
    const changed = await callAdmin(everything.secret, "PATCH", path, { name: "Used" }, headers);
    expect((await changed.json<{ lastUsedAt: number }>()).lastUsedAt).toBeGreaterThan(lastUsedAt);
    expect(changed.status).toBe(200);
  });

  it("never give a token more than its maker has, by a new token or by the secret of another one", async () => {
    const { secret } = await adminToken(["admin:security"]);
    const issue = (scopes: string[]) =>
      callAdmin(secret, "POST", "/tokens", { kind: "admin", name: "t", scopes, lifetimeSeconds: 60 });
    expect((await issue(["admin:security"])).status).toBe(201);
    const refused = await issue(["admin:security", "admin:apps"]);
    expect(await refused.json()).toMatchObject({ error: "bad_request", field: "scopes" });
    expect((await callAdmin(secret, "POST", `/tokens/${everything.id}/rotate`, {})).status).toBe(400);
    expect((await callAdmin(everything.secret, "GET", "/apps")).status).toBe(200);
  });
});

describe("a person's token", () => {
  it("is refused for somebody whom nobody knows, unless the call means a new person", async () => {
    const draft = {
      kind: "client-api",
      name: "t",
      scopes: ["SEARCH"],
      person: "unseen@acme.example",
      lifetimeSeconds: 60,
    };
    const refused = await callAdmin(everything.secret, "POST", "/tokens", draft);
    expect([refused.status, (await refused.json<{ field: string }>()).field]).toEqual([400, "newPerson"]);
    expect((await callAdmin(everything.secret, "POST", "/tokens", { ...draft, newPerson: true })).status).toBe(201);
    expect((await callAdmin(everything.secret, "POST", "/tokens", draft)).status).toBe(201);
  });
});

describe("a token that a token issues", () => {
  const maker = { lifetimeSeconds: 600, networks: ["192.0.2.0/24", "2001:db8::/32"] };
  const from = { "CF-Connecting-IP": "192.0.2.7" };
  const draft = { kind: "admin", name: "t", scopes: ["admin:security"], lifetimeSeconds: 60, networks: ["192.0.2.7"] };
  const person = { kind: "client-api", scopes: ["SEARCH"], person: "ada@acme.example" };
  const program = { kind: "indexing", scopes: ["documents:wiki"] };

  it.each([
    [{}, undefined],
    [program, undefined],
    [{ networks: ["2001:db8:1::/48", "192.0.2.128/25"] }, undefined],
    [{ lifetimeSeconds: 3600 }, "lifetimeSeconds"],
    [{ ...program, lifetimeSeconds: 3600 }, "lifetimeSeconds"],
    [{ ...person, lifetimeSeconds: null }, "lifetimeSeconds"],
    [{ networks: [] }, "networks"],
    [{ ...program, networks: [] }, "networks"],
    [{ ...person, networks: ["192.0.2.7", "198.51.100.1"] }, "networks"],
    [{ networks: ["192.0.0.0/16"] }, "networks"],
    [{ networks: ["::/0"] }, "networks"],
  ])("has no longer lifetime and no wider networks: %j is refused for %s", async (changes, field) => {
    const { secret } = await adminToken(["admin:security"], maker);
    const issued = await callAdmin(secret, "POST", "/tokens", { ...draft, ...changes }, from);
    const answer = await issued.json<{ error?: string; field?: string }>();
    expect([issued.status, answer.field]).toEqual([field === undefined ? 201 : 400, field]);
  });

  it.each([
    [{ networks: ["192.0.2.7/32"] }, 201],
    [{ lifetimeSeconds: 3600, networks: ["192.0.2.7/32"] }, 400],
    [{ networks: [] }, 400],
  ])("can't be rotated by a token that may do less: %j gets status %i", async (changes, status) => {
    const { secret } = await adminToken(["admin:security"], maker);
    const { id } = await issueToken(instance, { lifetimeSeconds: 60, ...changes });
    expect((await callAdmin(secret, "POST", `/tokens/${id}/rotate`, {}, from)).status).toBe(status);
  });
});

describe("a token that is rotated again and again", () => {
  it("keeps only the last of its expired secrets", async () => {
    const { id } = await issueToken(instance);
    for (let time = 1; time <= 4; time += 1) {
      await callAdmin(everything.secret, "POST", `/tokens/${id}/rotate`, { endOthersNow: true });
    }
    expect(await secretsOf(id)).toHaveLength(2);
  });
});

describe("an admin token", () => {
  /** Returns the tokens that the audit says ended with a person or a token. */
  async function endedWith(id: string): Promise<string[]> {
    const { items } = await page(`/audit?event=service_tokens_ended&search=${id}`);
    return items.flatMap(({ detail }) => (detail as { ids: string[] }).ids).toSorted();
  }

  const draft = { kind: "admin" as const, name: "t", scopes: ["admin:read"], person: null, lifetimeSeconds: 3600 };
  const program = { ...draft, kind: "indexing" as const, scopes: ["documents:wiki"] };
  const read = async (secret: string) => (await callAdmin(secret, "GET", "/settings")).status;

  async function administrator(email: string) {
    await servicesOf(env).administrationOf(instance, "test").people.nameRole(email, "administrator");
    return knownPerson(instance, email);
  }

  /** Issues a token that issues another one, and a pipeline's token. `issuer` is the actor in the audit. */
  async function lineage(issuer: string) {
    const { serviceTokens } = servicesOf(env).administrationOf(instance, issuer);
    const first = await serviceTokens.issue({ ...draft, scopes: ADMIN_SCOPES, lifetimeSeconds: 7200 });
    const answer = await callAdmin(first.secret, "POST", "/tokens", { ...draft, scopes: ["admin:read"] });
    const second = await answer.json<{ secret: string; token: { id: string } }>();
    const pipeline = await serviceTokens.issue(program);
    return { first, second, pipeline };
  }

  it.each([
    ["loses their role", "removeRole"],
    ["is deactivated", "deactivate"],
    ["is released", "release"],
  ] as const)(
    "ends, with the tokens that it issued, when its issuer %s; a pipeline's token continues",
    async (what, act) => {
      const person = await administrator(`${act.toLowerCase()}@acme.example`);
      const { first, second, pipeline } = await lineage(person.id);
      expect([await read(first.secret), await read(second.secret)]).toEqual([200, 200]);
      const { administrationOf } = servicesOf(env);
      await administrationOf(instance, "test").people[act](person);
      expect({ what, answers: [await read(first.secret), await read(second.secret)] }).toEqual({
        what,
        answers: [401, 401],
      });
      expect(await column(`/tokens?createdBy=${person.id}&state=running`, "id")).toEqual([pipeline.token.id]);
      expect(await endedWith(person.id)).toEqual([first.token.id, second.token.id].toSorted());
      await expect(administrationOf(instance, person.id).serviceTokens.issue(draft)).rejects.toThrow(
        "Your access has ended",
      );
    },
  );

  it("ends with the token that issued it, and neither can issue another", async () => {
    const { first, second } = await lineage("test");
    await callOperation(everything.secret, "POST /tokens/:id/revoke", { path: [first.token.id] });
    expect([await read(first.secret), await read(second.secret)]).toEqual([401, 401]);
    expect(await endedWith(first.token.id)).toEqual([second.token.id]);
    const { administrationOf } = servicesOf(env);
    for (const { id } of [first.token, second.token]) {
      await expect(administrationOf(instance, id).serviceTokens.issue(draft)).rejects.toThrow("Your access has ended");
    }
  });

  it("continues when somebody else loses their access, or a token that it issued is revoked", async () => {
    const { first, second } = await lineage((await administrator("stays@acme.example")).id);
    const { people } = servicesOf(env).administrationOf(instance, "test");
    await people.deactivate(await administrator("goes@acme.example"));
    await callOperation(everything.secret, "POST /tokens/:id/revoke", { path: [second.token.id] });
    expect([await read(first.secret), await read(second.secret)]).toEqual([200, 401]);
  });
});

describe("the file that commands export, plan and apply", () => {
  /** Makes an instance and its Admin API, as commands call it. */
  async function openInstance(name: string) {
    const record = await makeInstance(name);
    const { secret } = await issueToken(record, { kind: "admin", scopes: ADMIN_SCOPES, lifetimeSeconds: 3600 });
    const api = new AdminApi(name, `http://${name}.localhost`, async (method, path, body, version) => {
      const response = await callAdmin(secret, method, path, body, conditionOf(version), `http://${name}.localhost`);
      if (!response.ok) throw new AdminApiRefused(await response.text(), response.status);
      return { body: await response.json(), version: response.headers.get("ETag") ?? undefined };
    });
    return { record, api };
  }

  it("makes another instance the same, and then has nothing left to change", async () => {
    const { record, api: from } = await openInstance("source");
    const { client } = await makeStaticClient(record, {
      name: "Declared",
      scopes: ["SEARCH"],
      tokenEndpointAuthMethod: "private_key_jwt",
      keys: { jwksUri: "https://declared.example/keys" },
      requirements: ["dpop"],
    });
    await from.call("PATCH", "/settings", { displayName: "Declared" });
    await from.call("PUT", "/metadata-groups/declared", {
      metadataKeys: [{ name: "status", propertyType: "PICKLIST" }],
    });
    const allowed = { clientIds: ["a"], audiences: ["api://x"], scopes: ["SEARCH"], emailDomains: ["acme.example"] };
    await from.call("POST", "/issuers", { issuer: "https://declared.example", name: "Declared", ...allowed });
    const rules = { rules: [{ group: "Sales", scopes: ["SEARCH"] }] };
    await from.call("PUT", `/app-rules/${client.id}`, rules);
    await from.call("PUT", `/app-rules/${encodeURIComponent("https://declared.example|a")}`, rules);
    const workload = { issuer: "https://platform.example", claims: { repository: "acme/docs" }, isSingleUse: true };
    const machine = { groups: ["Sales"], scopes: ["SEARCH"], proof: { workload } };
    const account = await from.call<{ id: string }>("POST", "/service-accounts", { name: "declared", ...machine });
    const content = { content: [{ field: "datasource", values: ["wiki"] }] };
    for (const app of [client.id, "https://declared.example|a", "self-registered"]) {
      await from.call("PUT", `/app-rules/${encodeURIComponent(app)}/content`, content);
    }
    for (const id of [account.id, "personal-tokens"]) {
      await from.call("PUT", `/service-accounts/${id}/content`, content);
    }
    const transmitter = { name: "Declared", audience: "here", emailDomains: ["acme.example"] };
    const header = { authorizationSecret: "Bearer of-the-transmitter" };
    await from.call("PUT", `/transmitters/${encodeURIComponent("https://signals.example")}`, {
      ...transmitter,
      ...header,
    });
    await from.call("POST", "/roles", { email: "declared@acme.example", role: "auditor" });
    const { state, leftOut } = await exportState(from);
    expect(leftOut).toEqual([]);
    expect(await planFor(from, state, () => undefined)).toEqual([]);
    expect(JSON.stringify(state)).not.toMatch(/of-the-transmitter|clientSecret"/i);
    for (const [route, things] of [
      ["POST /apps", state.apps],
      ["POST /service-accounts", state.serviceAccounts],
    ] as const) {
      const members = Object.keys(((ADMIN_OPERATIONS[route]?.request ?? {}) as { entries?: object }).entries ?? {});
      expect(Object.keys(things?.["Declared"] ?? things?.["declared"] ?? {}).toSorted()).toEqual(
        // The name is the key of each thing, and the plan decides whether it is new.
        members.filter((member) => member !== "name" && member !== "isNameNew").toSorted(),
      );
    }
    const { api: to } = await openInstance("target");
    await expect(planFor(to, state, () => undefined)).rejects.toThrow(/authorizationSecretEnv must name/);
    const issuer = "https://signals.example";
    const withSecret = { ...state.transmitters?.[issuer], authorizationSecretEnv: "GATEHOUSE_SECRET_HEADER" };
    const declared = { ...state, transmitters: { [issuer]: withSecret } };
    const plan = await planFor(to, declared, () => header.authorizationSecret);
    expect(await makeChanges(to, plan)).toMatchObject({ made: 14 });
    expect(await planFor(to, declared, () => undefined)).toEqual([]);
    expect(await exportState(to)).toEqual({ state, leftOut: [] });
  });

  /** The parts of the Admin API that the file doesn't contain, and why. */
  const OF_NO_FILE: Readonly<Record<string, string>> = {
    "access-explanations": "answers a question",
    "held-removals": "is what uploads would remove",
    "removed-documents": "is what uploads removed",
    "document-placement": "a move takes its time, and is asked for by a command of its own",
    audit: "is what happened; the header of its delivery is a secret",
    "connection-attempts": "is what happened",
    deactivations: "decides about one person",
    doctor: "answers a question",
    grants: "is what people allowed",
    logo: "is a picture, uploaded on its own",
    people: "are the directory's or the SSO's; the file has their roles",
    sessions: "are signed-in people",
    "signing-keys": "are secrets",
    "token-explanations": "answers a question",
    tokens: "are secrets, shown once to those who create them",
  };

  /** The part of the file that contains a noun. */
  const IN_FILE: Readonly<Record<string, (typeof PARTS)[number] | readonly (typeof PARTS)[number][]>> = {
    "app-rules": ["appRules", "appContent", "serviceAccountContent"],
    apps: "apps",
    issuers: "issuers",
    glossary: "glossary",
    "metadata-groups": "metadataGroups",
    roles: "roles",
    "service-accounts": "serviceAccounts",
    settings: "settings",
    "single-sign-on": "singleSignOn",
    "single-sign-ons": "furtherSingleSignOns",
    transmitters: "transmitters",
  };

  it("contains every noun of the Admin API, unless there is a reason", () => {
    const nouns = new Set(Object.keys(ADMIN_OPERATIONS).map((route) => route.split("/")[1] ?? ""));
    expect([...nouns].toSorted()).toEqual([...Object.keys(IN_FILE), ...Object.keys(OF_NO_FILE)].toSorted());
    expect(Object.values(IN_FILE).flat().toSorted()).toEqual(PARTS.toSorted());
  });

  /** Makes an instance match a file. */
  async function apply(api: AdminApi, declared: DeclaredState): Promise<void> {
    expect((await makeChanges(api, await planFor(api, declared, () => undefined))).failure).toBeUndefined();
  }

  it.each<[string, string]>([
    ['{"singleSignOn":{"clientSecret":"hush-hush"}}', "singleSignOn.clientSecret is a secret"],
    ['{"transmitters":{"https://x.example":{"authorizationSecret":"hush-hush"}}}', "authorizationSecret is a secret"],
    ['{"apps":{"Intranet":{"secret":"hush-hush"}}}', "apps.Intranet.secret is a secret"],
    ['{"apps":{"Intranet":{"name":"Other"}}}', "apps.Intranet in f has another name"],
    ['{"issuers":{"https://x.example":{"issuer":"https://y.example"}}}', "has another issuer"],
    ['{"__proto__":{"settings":{}}}', "has the unknown part __proto__"],
    ['{"apps":{"__proto__":[]}}', "apps.__proto__ in f must be an object"],
    ['{"constructor":{}}', "has the unknown part constructor"],
  ])("is refused as %s, without repeating a secret", (text, message) => {
    const refusal = () => requireDeclaredState(JSON.parse(text), "f");
    expect(refusal).toThrow(message);
    expect(refusal).not.toThrow("hush");
  });

  it("gives no role to an address that could be read as another's, and none to the same address twice", async () => {
    const { api } = await openInstance("addresses");
    const plan = (roles: Record<string, unknown>) => planFor(api, { roles }, () => undefined);
    await expect(plan({ "\u212Aelvin@acme.example": "owner" })).rejects.toThrow("is not an email address");
    await expect(plan({ "eve@acme.example": "owner", "EVE@acme.example": null })).rejects.toThrow("twice");
    const proto = JSON.parse('{"__proto__":"owner"}') as Record<string, unknown>;
    await expect(plan(proto)).rejects.toThrow("is not an email address");
  });

  it("doesn't remove the last owner, but the changes before that are made", async () => {
    const { record, api } = await openInstance("owned");
    await setRole(record);
    const roles = { "boss@acme.example": "auditor", "ada@acme.example": null };
    const done = await makeChanges(api, await planFor(api, { roles }, () => undefined));
    expect(done).toMatchObject({ made: 1, failure: expect.stringContaining("Refused") as string });
    expect((await exportState(api)).state.roles).toEqual({
      "ada@acme.example": "owner",
      "boss@acme.example": "auditor",
    });
  });

  it("creates an app only once, even if it is applied several times at once", async () => {
    const { record, api } = await openInstance("once");
    const app = { redirectUris: ["https://app.example/cb"], scopes: ["SEARCH"], tokenEndpointAuthMethod: "none" };
    const plan = () => planFor(api, { apps: { Intranet: app } }, () => undefined);
    const plans = await Promise.all([plan(), plan(), plan()]);
    const done = await Promise.all(plans.map((each) => makeChanges(api, each)));
    expect(done.filter(({ made }) => made === 1)).toHaveLength(1);
    expect(done.find(({ made }) => made === 0)?.failure).toContain("There is an app called Intranet already");
    expect(await plan()).toEqual([]);
    // Outside the file, two apps may have the same name.
    await makeStaticClient(record, { name: "Intranet" });
  });

  it("limits a new app and a new account together, and takes a limit away only with an empty list", async () => {
    const { api } = await openInstance("limited");
    const app = { redirectUris: ["https://app.example/cb"], scopes: ["SEARCH"], tokenEndpointAuthMethod: "none" };
    const proof = { keys: { jwksUri: "https://job.example/keys" } };
    const rules = [{ group: "sales", scopes: ["SEARCH"] }];
    const content = [{ field: "datasource", values: ["wiki"], isExcluded: false }];
    await apply(api, {
      apps: { same: app },
      appRules: { same: rules },
      appContent: { same: content },
      serviceAccounts: { same: { groups: [], scopes: ["SEARCH"], proof } },
      serviceAccountContent: { same: [{ field: "Datasource", values: ["Jobs"] }] },
    });
    const { state } = await exportState(api);
    expect(state).toMatchObject({ appRules: { same: rules }, appContent: { same: content } });
    expect(state.serviceAccountContent).toEqual({ same: [{ ...content[0], values: ["jobs"] }] });
    const [change] = await planFor(api, { appContent: { same: [] } }, () => undefined);
    expect(change?.lines[1]).toBe("appContent.same: the app may search everything that its person may see");
    await apply(api, {
      appRules: { same: [...rules, ...rules.map((rule) => ({ ...rule, group: "legal" }))] },
      appContent: { same: [] },
    });
    expect((await exportState(api)).state).toMatchObject({ appContent: {}, serviceAccountContent: { same: [{}] } });
    for (const wrong of ["wiki", [{ field: "datasource" }], [{ field: "datasource", values: [1] }], [null]]) {
      const file = { appContent: { same: wrong } };
      await expect(planFor(api, file, () => undefined)).rejects.toThrow("appContent.same must be a list");
    }
    const empty = { appContent: { same: [{ field: "datasource", values: [] }] } };
    await expect(planFor(api, empty, () => undefined)).rejects.toThrow("appContent.same: Enter 1 to 50 values");
  });

  it("keeps odd names and letters as the service stores them, and then has nothing left to change", async () => {
    const { api } = await openInstance("odd");
    const app = { redirectUris: ["https://app.example/cb"], scopes: ["SEARCH"], tokenEndpointAuthMethod: "none" };
    const text = JSON.stringify({ apps: { PROTO: app }, appRules: { PROTO: [] } }).replaceAll("PROTO", "__proto__");
    const declared = requireDeclaredState(JSON.parse(text), "f");
    const rules = [{ group: "STRASSE \u212A", scopes: ["SEARCH"] }];
    const whole = { ...declared, appRules: JSON.parse(`{"__proto__":${JSON.stringify(rules)}}`) as object };
    await apply(api, whole as DeclaredState);
    expect(await planFor(api, whole as DeclaredState, () => undefined)).toEqual([]);
    const settings = JSON.parse('{"__proto__":{"oauthEnabled":false},"constructor":1}') as Record<string, unknown>;
    const before = await api.get("/settings");
    await makeChanges(api, await planFor(api, { settings }, () => undefined));
    expect(await api.get("/settings")).toEqual(before);
  });

  it("can be applied twice at once: one says what it could not change, and applying it again completes it", async () => {
    const { api } = await openInstance("twice");
    const issuer = {
      name: "P",
      clientIds: ["a"],
      audiences: ["x"],
      scopes: ["SEARCH"],
      emailDomains: ["acme.example"],
    };
    const declared: DeclaredState = {
      settings: { displayName: "Twice" },
      issuers: { "https://twice.example": issuer },
      metadataGroups: { deal: { metadataKeys: [{ name: "stage", propertyType: "TEXT" }] } },
      serviceAccounts: {
        machine: {
          groups: [],
          scopes: ["SEARCH"],
          proof: { workload: { issuer: "https://p.example", claims: { repository: "acme/docs" } } },
        },
      },
      roles: { "boss@acme.example": "auditor" },
    };
    const [one, other] = [await planFor(api, declared, () => undefined), await planFor(api, declared, () => undefined)];
    const done = await Promise.all([makeChanges(api, one), makeChanges(api, other)]);
    expect(done.some(({ failure }) => failure !== undefined)).toBe(true);
    await apply(api, declared);
    expect(await planFor(api, declared, () => undefined)).toEqual([]);
  });

  it("leaves everything else about an identity provider or the SSO unchanged", async () => {
    const { api } = await openInstance("partial");
    const issuer = "https://partial.example";
    const restricted = { audiences: ["api://x"], requiredClaims: { tenant: "acme" }, emailDomains: ["acme.example"] };
    await api.call("POST", "/issuers", { issuer, name: "Before", clientIds: ["a"], scopes: ["SEARCH"], ...restricted });
    const vouched = { ...(await api.get<object>("/single-sign-on")), emailVouchedBy: "administrator" };
    await api.call("PUT", "/single-sign-on", vouched);
    await apply(api, { issuers: { [issuer]: { name: "After" } }, singleSignOn: { groupsClaim: "roles" } });
    expect(await api.call("GET", `/issuers/${encodeURIComponent(issuer)}`)).toMatchObject({
      name: "After",
      ...restricted,
    });
    expect(await api.call("GET", "/single-sign-on")).toEqual({ ...vouched, groupsClaim: "roles" });
  });

  it("shows which values are lost by a change to another SSO", async () => {
    const { api } = await openInstance("moved");
    const stored = await api.get<Readonly<Record<string, unknown>>>("/single-sign-on");
    await api.call("PUT", "/single-sign-on", { ...stored, emailVouchedBy: "administrator" });
    const other = { ...stored, issuer: "https://sso.example", clientSecretEnv: "GATEHOUSE_SECRET_SSO" };
    const [change] = await planFor(api, { singleSignOn: other }, () => "hush");
    expect(change?.lines).toContain('singleSignOn.emailVouchedBy: "administrator" → null');
    expect(change?.body).not.toHaveProperty("emailVouchedBy");
  });

  it("creates no transmitter without the header that it names, and removes no header by mistake", async () => {
    const { api } = await openInstance("headers");
    const issuer = "https://headers.example";
    const described = { name: "Events", audience: "here", emailDomains: ["acme.example"] };
    const planOf = (members: object) =>
      planFor(api, { transmitters: { [issuer]: { ...described, ...members } } }, () => "Bearer of-the-headers");
    const named = { authorizationSecretEnv: "GATEHOUSE_SECRET_HEADER" };
    const plan = await planOf(named);
    expect(plan).toMatchObject([{ body: { authorizationSecret: "Bearer of-the-headers" } }]);
    expect((await makeChanges(api, plan)).failure).toBeUndefined();
    expect(await planOf(named)).toEqual([]);
    expect(await planOf({})).toEqual([]);
    expect(await planOf({ hasAuthorizationSecret: false })).toMatchObject([{ body: { authorizationSecret: null } }]);
    for (const wrong of ["true", 1]) {
      await expect(planOf({ hasAuthorizationSecret: wrong })).rejects.toThrow(/must be true or false/);
    }
    await expect(planOf({ ...named, hasAuthorizationSecret: false })).rejects.toThrow(/must be true or false/);
  });

  it("shows the secrets that were created even if a later response is missing", async () => {
    const { api } = await openInstance("cut");
    const cut = new AdminApi(api.instance, api.origin, (method, path, body, version) => {
      if (path === "/settings" && method === "PATCH") throw new UsageError("does not answer");
      return api.send(method, path, body, version);
    });
    const unscoped = { redirectUris: ["https://cut.example/callback"], tokenEndpointAuthMethod: "client_secret_basic" };
    await expect(planFor(cut, { apps: { Cut: unscoped } }, () => undefined)).rejects.toThrow(
      "apps.Cut.scopes is missing",
    );
    const app = { ...unscoped, scopes: ["SEARCH"] };
    const plan = await planFor(cut, { apps: { Cut: app }, settings: { displayName: "Cut" } }, () => undefined);
    const made = await makeChanges(cut, plan);
    expect(made).toMatchObject({ made: 1, created: [{ secret: expect.any(String) }] });
    expect(made.failure).toMatch(/^1 of 2 changes were made\. Without an answer: settings\.displayName/);
  });

  it("has no SSO only if the response to the export is that there is none", async () => {
    const { api } = await openInstance("unanswered");
    const answering = (status: number) =>
      new AdminApi(api.instance, api.origin, async (method, path, body) => {
        if (path === "/single-sign-on") throw new AdminApiRefused(`answered with ${status}`, status);
        return api.send(method, path, body);
      });
    expect((await exportState(answering(404))).state).not.toHaveProperty("singleSignOn");
    for (const status of [429, 503]) await expect(exportState(answering(status))).rejects.toThrow(String(status));
  });

  it("leaves out what is disabled when exported, says so, and doesn't enable it when applied", async () => {
    const { record, api } = await openInstance("disabled");
    const { client } = await makeStaticClient(record, { name: "Off", scopes: ["SEARCH"] });
    const issuer = "https://off.example";
    const allowed = { clientIds: ["a"], scopes: ["SEARCH"], emailDomains: ["acme.example"] };
    await api.call("POST", "/issuers", { issuer, name: "Off", ...allowed });
    const whole = await exportState(api);
    expect(whole.leftOut).toEqual([]);
    await api.call("POST", `/apps/${client.id}/disable`, {});
    await api.call("POST", `/issuers/${encodeURIComponent(issuer)}/disable`, {});
    const { state, leftOut } = await exportState(api);
    expect(leftOut.map(({ name }) => name)).toEqual([`issuers.${issuer}`, "apps.Off"]);
    expect([state.issuers, state.apps]).toEqual([{}, {}]);
    expect(await planFor(api, whole.state, () => undefined)).toEqual([]);
    const changed = { apps: { Off: { scopes: ["CHAT"] } } };
    await expect(planFor(api, changed, () => undefined)).rejects.toThrow("apps.Off is disabled");
  });

  it("overwrites nothing that has changed since the plan was made", async () => {
    const { api } = await openInstance("between");
    const issuer = "https://between.example";
    const allowed = { clientIds: ["a"], scopes: ["SEARCH"], emailDomains: ["acme.example"] };
    await api.call("POST", "/issuers", { issuer, name: "Before", ...allowed });
    const { app } = await api.call<{ app: { id: string } }>("POST", "/apps", {
      name: "Planned",
      redirectUris: ["https://app.example/cb"],
      scopes: ["SEARCH"],
    });
    const status = { name: "status", propertyType: "PICKLIST" };
    const planned = { metadataKeys: [status] };
    await api.call("PUT", "/metadata-groups/kept", planned);
    const proof = { keys: { jwksUri: "https://job.example/keys" } };
    const machine = { name: "between", groups: [], scopes: ["SEARCH"], proof };
    const account = await api.call<{ id: string }>("POST", "/service-accounts", machine);
    for (const email of ["kept", "gone"]) {
      await api.call("POST", "/roles", { email: `${email}@acme.example`, role: "app-manager" });
    }
    const plan = await planFor(
      api,
      {
        settings: { displayName: "Planned" },
        singleSignOn: { groupsClaim: "planned" },
        issuers: { [issuer]: { name: "Planned" } },
        apps: { Planned: { scopes: ["CHAT"] } },
        appRules: { Planned: [{ group: "planned", scopes: ["SEARCH"] }] },
        metadataGroups: { kept: { metadataKeys: [status, { ...status, name: "planned" }] }, fresh: planned },
        serviceAccounts: { between: { groups: ["planned"] } },
        serviceAccountContent: { between: [{ field: "type", values: ["planned"] }] },
        transmitters: { [issuer]: { name: "Planned", audience: "planned" } },
        roles: { "kept@acme.example": "auditor", "fresh@acme.example": "auditor", "gone@acme.example": null },
      },
      () => undefined,
    );
    expect(plan.length).toBe(13);
    await api.call("PATCH", "/settings", { supportContact: "help@acme.example" });
    await api.call("PUT", "/single-sign-on", { ...(await api.get<object>("/single-sign-on")), groupsClaim: "between" });
    await api.call("PATCH", `/issuers/${encodeURIComponent(issuer)}`, { audiences: ["api://between"] });
    await api.call("PATCH", `/apps/${app.id}`, { redirectUris: ["https://between.example/cb"] });
    await api.call("PUT", `/app-rules/${app.id}`, { rules: [{ group: "between", scopes: ["SEARCH"] }] });
    for (const group of ["kept", "fresh"]) {
      await api.call("PUT", `/metadata-groups/${group}`, { metadataKeys: [status, { ...status, name: "between" }] });
    }
    await api.call("PATCH", `/service-accounts/${account.id}`, { groups: ["between"] });
    const content = [{ field: "type", values: ["between"] }];
    await api.call("PUT", `/service-accounts/${account.id}/content`, { content });
    await api.call("PUT", `/transmitters/${encodeURIComponent(issuer)}`, { name: "Between", audience: "between" });
    for (const email of ["kept", "fresh", "gone"]) {
      await api.call("POST", "/roles", { email: `${email}@acme.example`, role: "administrator" });
    }
    const between = (await exportState(api)).state;
    for (const { method, path, body, version, lines } of plan) {
      const refused = api.call(method, path, body, version);
      await expect(refused, lines.join()).rejects.toMatchObject({ status: path.startsWith("/roles") ? 409 : 412 });
    }
    expect((await exportState(api)).state).toEqual(between);
  });

  it("removes no key of a metadata group, however it spells the key's name", async () => {
    const { api } = await openInstance("grouped");
    const [status, team] = ["status", "team"].map((name) => ({ name, propertyType: "PICKLIST" }));
    await api.call("PUT", "/metadata-groups/deal", { metadataKeys: [status, team] });
    for (const name of ["deal", "DEAL"]) {
      const fewer = { metadataGroups: { [name]: { metadataKeys: [{ ...status, name: "Status" }] } } };
      await expect(planFor(api, fewer, () => undefined)).rejects.toThrow(/leaves out team/);
    }
    const more = [status, team, { name: "size", propertyType: "TEXT" }];
    await apply(api, { metadataGroups: { deal: { metadataKeys: more } } });
    expect(await api.call("GET", "/metadata-groups/deal")).toMatchObject({ metadataKeys: more });
  });

  it("contains further single sign-ons by issuer, each of which needs its secret and its domains", async () => {
    const { api } = await openInstance("further");
    const issuer = "https://further-sso.example";
    const before = await api.get<Readonly<Record<string, unknown>>>("/single-sign-on");
    const wanted = { ...before, issuer: undefined, emailDomains: ["further.example"], label: "Further" };
    const further = { [issuer]: { ...wanted, clientSecretEnv: "GATEHOUSE_SECRET_FURTHER" } };
    const declared = { singleSignOn: { emailDomains: ["acme.example"] }, furtherSingleSignOns: further };
    await expect(planFor(api, declared, () => undefined)).rejects.toThrow(/GATEHOUSE_SECRET_FURTHER is empty/);
    const plan = await planFor(api, declared, () => "hush");
    expect(plan.map(({ path }) => path)).toEqual(["/single-sign-on", `/single-sign-ons/${encodeURIComponent(issuer)}`]);
    expect(plan.flatMap(({ lines }) => lines).join()).not.toContain("hush");
    expect((await makeChanges(api, plan)).failure).toBeUndefined();
    const { state } = await exportState(api);
    expect(state.furtherSingleSignOns).toMatchObject({ [issuer]: { label: "Further", groupsMeetDirectory: false } });
    expect(state.furtherSingleSignOns?.[issuer]).not.toHaveProperty("redirectUri");
    expect(await planFor(api, state, () => undefined)).toEqual([]);
    const relabelled = { furtherSingleSignOns: { [issuer]: { label: "Renamed" } } };
    expect((await makeChanges(api, await planFor(api, relabelled, () => undefined))).failure).toBeUndefined();
    const { items } = await api.list<{ redirectUri: string; label?: string }>("/single-sign-ons");
    expect(items.map(({ redirectUri }) => redirectUri.replace(/^.*\/oauth/, "/oauth"))).toEqual([
      "/oauth/callback",
      "/oauth/callback/2",
    ]);
    expect(items[1]?.label).toBe("Renamed");
    await api.call("DELETE", `/single-sign-ons/${encodeURIComponent(issuer)}`);
    await api.call("PUT", "/single-sign-on", before);
    expect((await exportState(api)).state).not.toHaveProperty("furtherSingleSignOns");
  });

  it("needs the secret of another SSO in an environment variable, and says which", async () => {
    const { api } = await openInstance("connected");
    const { singleSignOn } = (await exportState(api)).state;
    const other = {
      singleSignOn: { ...singleSignOn, issuer: "https://sso.example", clientSecretEnv: "GATEHOUSE_SECRET_SSO" },
    };
    await expect(planFor(api, other, () => undefined)).rejects.toThrow("GATEHOUSE_SECRET_SSO");
    const [change] = await planFor(api, other, () => "hush");
    expect(change).toMatchObject({ path: "/single-sign-on", body: { clientSecret: "hush" } });
    expect(change?.lines.join()).not.toContain("hush");
    const line = "the secret is read from the environment variable GATEHOUSE_SECRET_SSO";
    expect(change?.lines.at(-1)).toBe(`singleSignOn.clientSecretEnv: ${line}`);
  });

  it("sends no other environment variable to a server that the file names", async () => {
    const { api } = await openInstance("leaking");
    const read: string[] = [];
    const secretOf = (name: string) => {
      read.push(name);
      return "the operator's own secret";
    };
    const singleSignOn = { ...(await exportState(api)).state.singleSignOn, issuer: "https://evil.example" };
    const transmitter = { name: "EDR", audience: "here", emailDomains: ["acme.example"] };
    for (const variable of ["MASTER_KEYS", "gatehouse_secret_sso", "GATEHOUSE_SECRET_", "X_GATEHOUSE_SECRET_SSO", ""]) {
      const files: DeclaredState[] = [
        { singleSignOn: { ...singleSignOn, clientSecretEnv: variable } },
        { transmitters: { "https://evil.example": { ...transmitter, authorizationSecretEnv: variable } } },
      ];
      for (const file of files) {
        await expect(planFor(api, file, secretOf)).rejects.toThrow("variables that begin with GATEHOUSE_SECRET_");
      }
    }
    expect(read).toEqual([]);
  });
});

describe("a command's token at the Admin API", () => {
  it("opens one path for a holder of the master keys, and the audit calls its actor a command", async () => {
    const path = "/rest/api/admin/v1/settings";
    const secret = await servicesOf(env).commandTokens.make("acme", ORIGIN, path);
    const response = await callAdmin(secret, "PATCH", "/settings", { displayName: "By command" });
    expect(response.status).toBe(200);
    expect(await lastEntry()).toMatchObject({ actor: "command", event: "settings_changed" });
    const elsewhere = await callAdmin(secret, "GET", "/apps");
    expect((await readRefusal(elsewhere)).error).toBe("invalid_secret");
    const sentElsewhere = await servicesOf(env).commandTokens.make("acme", "https://acme-be.evil.example", path);
    expect((await callAdmin(sentElsewhere, "GET", "/settings")).status).toBe(401);
    expect((await send("/rest/api/admin/v1/apps")).status).toBe(401);
  });
});
