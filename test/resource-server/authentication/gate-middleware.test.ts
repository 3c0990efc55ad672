import { isWithin, RESOURCE_PATHS } from "#protocol/resource-indicator.ts";
import { Refusal } from "#protocol/errors.ts";
import type { Caller } from "#resource-server/authentication/caller.ts";
import { type ClientApiEnv, clientApiGate } from "#resource-server/authentication/gate-middleware.ts";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { describe, expect, it } from "vitest";

const ISSUER = "https://acme-be.example.com";
const ROUTE = "POST /rest/api/v1/search";

/** Sends a request through a route's gate, with a given authenticated caller. Returns 200 or the error code. */
async function passes(caller: Caller): Promise<number | string> {
  const services = { clientApiGate: { recognise: () => caller } };
  const before = createMiddleware<ClientApiEnv>(async (c, next) => {
    c.set("instance", { issuer: ISSUER, policy: { appRules: new Map() } } as never);
    c.set("services", services as never);
    c.set("frame", {} as never);
    await next();
  });
  const app = new Hono<ClientApiEnv>();
  app.onError((error) => new Response(error instanceof Refusal ? error.code : "defect", { status: 401 }));
  app.post("/*", before, clientApiGate(ROUTE), (c) => c.text(c.var.caller.personId));
  const response = await app.request("/", { method: "POST" }, { SERVICE_NAME: "Gatehouse" });
  return response.status === 200 ? response.status : response.text();
}

describe("the resource of a token (RFC 8707 §2)", () => {
  const scopes = new Set(["SEARCH"] as const);

  const above = RESOURCE_PATHS.filter((path) => isWithin("/rest/api/v1/search", path));
  it.each(above)("lets a token in if the route is at or below %j", async (path) => {
    expect(await passes({ personId: "ben", scopes, apps: [], resource: ISSUER + path })).toBe(200);
  });

  it("doesn't restrict a token that has none", async () => {
    expect(await passes({ personId: "ben", scopes, apps: [] })).toBe(200);
  });

  it.each([
    `${ISSUER}/rest/api/v1/chat`,
    `${ISSUER}/rest/api/v1/search/more`,
    `${ISSUER}/rest/api/v1/sear`,
    `${ISSUER}/rest/api/v1/searches`,
    `${ISSUER}/rest/api/v`,
    `${ISSUER}/api`,
    `${ISSUER}/`,
    "https://acme-be.example.co",
    "https://other-be.example.com",
    "",
  ])("makes the gate refuse a token for %j, although it has the scope", async (resource) => {
    expect(await passes({ personId: "ben", scopes, apps: [], resource })).toBe("invalid_token");
  });
});
