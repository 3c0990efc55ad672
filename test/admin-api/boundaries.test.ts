import { evaluatesIfMatch, scopeOf } from "#admin-api/operation.ts";
import { ADMIN_OPERATIONS } from "#admin-api/operations.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { ADMIN_SCOPES } from "#protocol/admin-scopes.ts";
import { requireConnection } from "#single-sign-on/connection.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { ADMIN_CALLS, callAdmin, commandToken, ISSUER_SETTINGS } from "../support/admin-calls.ts";
import { readChallenge } from "../support/challenge.ts";
import { setRole } from "../support/console-browser.ts";
import { issueToken } from "../support/service-tokens.ts";
import { makeInstance } from "../support/world.ts";

interface Person {
  readonly id: string;
  readonly email: string;
}

let instance: InstanceRecord;
let secret: string;

beforeAll(async () => {
  instance = await makeInstance();
  ({ secret } = await adminToken(ADMIN_SCOPES));
});

function adminToken(scopes: readonly string[]) {
  return issueToken(instance, { kind: "admin", scopes, lifetimeSeconds: 3600 });
}

describe("people with a role", () => {
  const ends = [
    (by: string, { id }: Person) => callAdmin(by, "POST", `/people/${id}/deactivate`),
    (by: string, { id }: Person) => callAdmin(by, "POST", `/people/${id}/release`),
    (by: string, { email }: Person) => callAdmin(by, "POST", "/deactivations", { email }),
    (by: string, { id }: Person) => callAdmin(by, "DELETE", `/roles/${id}`),
    (by: string, { email }: Person) => callAdmin(by, "POST", "/roles", { email, role: "auditor" }),
  ] as const;

  async function withRole(role: string): Promise<Person> {
    const response = await callAdmin(secret, "GET", `/people?role=${role}`);
    const [person] = (await response.json<{ items: Person[] }>()).items;
    if (!person) throw new Error(`nobody is ${role}`);
    return person;
  }

  it("can't be ended, and keep their tokens, if the token that asks has only admin:people", async () => {
    const { secret: lesser } = await adminToken(["admin:people"]);
    await callAdmin(secret, "POST", "/roles", { email: "kept@acme.example", role: "administrator" });
    const person = await withRole("administrator");
    const held = await issueToken(instance, { kind: "client-api", scopes: ["SEARCH"], person: person.email });
    for (const end of ends) {
      const refused = await end(lesser, person);
      expect(refused.status).toBe(403);
      expect(readChallenge(refused)).toMatchObject({ error: "insufficient_scope", scope: "admin:security" });
    }
    expect(await withRole("administrator")).toMatchObject({ id: person.id });
    const token = await callAdmin(secret, "GET", `/tokens/${held.id}`);
    expect(await token.json()).toMatchObject({ revokedAt: null });
  });

  it("can't be made owners by a token, and owners can't be ended by one", async () => {
    await setRole(instance, "kept@acme.example", "owner");
    const owner = await withRole("owner");
    const making = await callAdmin(secret, "POST", "/roles", { email: "new@acme.example", role: "owner" });
    for (const refused of [making, ...(await Promise.all(ends.map((end) => end(secret, owner))))]) {
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({
        message: expect.stringContaining("Tokens can't do what only owners may"),
      });
    }
    expect(await withRole("owner")).toMatchObject({ id: owner.id });
  });
});

describe("If-Match", () => {
  const issuer = `/issuers/${encodeURIComponent("https://removed.example")}`;

  it.each(["the tag that was read", "*"])(
    "as %s doesn't bring back an identity provider that was removed",
    async (kind) => {
      expect((await callAdmin(secret, "PUT", issuer, ISSUER_SETTINGS)).status).toBe(200);
      const tag = (await callAdmin(secret, "GET", issuer)).headers.get("ETag") ?? "";
      const condition = { "If-Match": kind === "*" ? "*" : tag };
      expect((await callAdmin(secret, "PUT", issuer, ISSUER_SETTINGS, condition)).status).toBe(200);
      await callAdmin(secret, "DELETE", issuer);
      for (const method of ["PUT", "PATCH"]) {
        expect((await callAdmin(secret, method, issuer, ISSUER_SETTINGS, condition)).status).toBe(412);
      }
      expect((await callAdmin(secret, "GET", issuer)).status).toBe(404);
    },
  );

  it("is refused by every operation that doesn't compare it with what is stored", async () => {
    const others = Object.entries(ADMIN_OPERATIONS).filter(([, operation]) => !evaluatesIfMatch(operation));
    expect(others.length).toBe(Object.keys(ADMIN_OPERATIONS).length - 13);
    for (const [route, operation] of others) {
      const [method = "", template = ""] = route.split(" ");
      const path = template.replaceAll(/:\w+/g, "x");
      const token = scopeOf(operation) === "owner" ? await commandToken(path) : secret;
      const response = await callAdmin(token, method, path, undefined, { "If-Match": "*" });
      expect({ route, status: response.status }).toEqual({ route, status: 400 });
      expect(await response.json()).toMatchObject({ field: "If-Match" });
    }
  });
});

describe("a query", () => {
  it.each(["search=%ff", "search=a%00b", "a&".repeat(65), `search=${"x".repeat(9000)}`])(
    "is refused with the API's own error if it can't be decoded: %s",
    async (query) => {
      const response = await callAdmin(secret, "GET", `/apps?${query}`);
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ error: "bad_request" }),
      ]);
    },
  );
});

describe("an approval", () => {
  it("applies only to the app that was read: one that has changed since then still waits", async () => {
    const { path: [id = ""] = [], body } = (await ADMIN_CALLS["POST /apps/:id/approve"]?.(instance)) ?? {};
    const approve = (given: unknown) => callAdmin(secret, "POST", `/apps/${id}/approve`, given);
    const { changedAt } = body as { changedAt: number };
    expect((await approve({})).status).toBe(400);
    const late = await approve({ changedAt: changedAt - 1 });
    expect(late.status).toBe(409);
    expect(await (await callAdmin(secret, "GET", `/apps/${id}`)).json()).toMatchObject({ isPending: true });
    expect(await (await approve(body)).json()).toEqual({ changed: true });
  });
});

describe("values that are stored for good", () => {
  const long = "x".repeat(2000);
  const claims = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`claim${index}`, "x"]));
  const sso = { groupsClaim: long, emailClaim: long, clientSecret: long, clientId: long, scopes: `openid ${long}` };
  const drafts = { requiredClaims: claims, algorithms: Array(11).fill("RS256"), scopes: Array(9).fill("SEARCH") };

  const tooLarge: [method: string, path: string, member: string, value: unknown][] = [
    ["PATCH", "/settings", "dynamicScopes", Array(20).fill("SEARCH")],
    ...Object.entries({ ...sso, requiredClaims: claims }).map(([member, value]): (typeof tooLarge)[number] => [
      "PUT",
      "/single-sign-on",
      member,
      value,
    ]),
    ...Object.entries(drafts).map(([member, value]): (typeof tooLarge)[number] => ["POST", "/issuers", member, value]),
  ];

  it.each(tooLarge)("%s %s refuses a %s that exceeds its limit", async (method, path, member, value) => {
    const rest = method === "PATCH" ? {} : ((await ADMIN_CALLS[`${method} ${path}`]?.(instance))?.body as object);
    const response = await callAdmin(secret, method, path, { ...rest, [member]: value });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ field: member });
  });

  it.each(Object.entries({ ...sso, requiredClaims: claims }))(
    "are refused from a form or command if %s exceeds its limit",
    (member, value) => {
      const rest = {
        issuer: "https://sso.example",
        clientId: "gatehouse",
        clientSecret: "secret",
        scopes: "openid",
        emailClaim: "email",
        groupsClaim: "groups",
        requiredClaims: {},
      };
      expect(() => requireConnection([], rest)).not.toThrow();
      expect(() => requireConnection([], { ...rest, [member]: value })).toThrow(`${member} is not acceptable`);
    },
  );
});

describe("an identity provider", () => {
  const path = `/issuers/${encodeURIComponent("https://unknown.example")}`;

  it.each([
    ["GET", path, undefined],
    ["PATCH", path, { name: "IdP" }],
    ["DELETE", path, undefined],
    ["POST", `${path}/disable`, undefined],
    ["POST", `${path}/enable`, undefined],
  ])("is not found if it isn't registered: %s %s", async (method, at, body) => {
    const response = await callAdmin(secret, method, at, body);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: "not_found" });
  });

  it.each(["PUT", "PATCH"])("can't be changed by %s with another issuer in the body", async (method) => {
    const { path: [registered = ""] = [] } = (await ADMIN_CALLS["GET /issuers/:issuer"]?.(instance)) ?? {};
    const at = `/issuers/${encodeURIComponent(registered)}`;
    const response = await callAdmin(secret, method, at, { name: "IdP", issuer: "https://other.example" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      field: "issuer",
      message: expect.stringContaining("not the one in the path"),
    });
  });
});

describe("a query parameter that is sent twice", () => {
  it("is refused with its name", async () => {
    const response = await callAdmin(secret, "GET", "/apps?limit=1&limit=2");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "bad_request", field: "limit" });
  });
});
