import { beforeAll, describe, expect, it } from "vitest";
import { requireAsDescribed } from "../support/described-answer.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { routes } from "../support/routes.ts";
import { makeInstance, ORIGIN, send } from "../support/world.ts";

interface OpenApi {
  readonly openapi: string;
  readonly servers: { readonly url: string }[];
  readonly paths: Record<string, Record<string, { readonly operationId?: string; readonly security: object[] }>>;
  readonly components: { readonly securitySchemes: Record<string, Record<string, unknown>> };
}

const APIS = /^\/(rest\/api\/v1|rest\/api\/admin\/v1|rest\/api\/index)\//;

async function read(origin = ORIGIN): Promise<OpenApi> {
  const response = await send(`${origin}/openapi.json`);
  expect(response.status).toBe(200);
  return response.json<OpenApi>();
}

/** Returns the routes of a description, spelled as in the router. */
function callsOf({ paths }: OpenApi): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
  );
}

beforeAll(async () => {
  await makeInstance();
});

describe("the description of the APIs (OpenAPI 3.1)", () => {
  it("is read from the deployment, and read again after a failure", async () => {
    let status = 500;
    const assets = { fetch: async () => new Response('{"openapi":"3.1.0"}', { status }) };
    const deployment = new ObservedIsolate({ ASSETS: assets as unknown as Fetcher });
    expect((await read()).paths).toBeDefined();
    expect((await deployment.send("/openapi.json")).status).toBe(500);
    status = 200;
    expect(await (await deployment.send("/openapi.json")).json()).toEqual({ openapi: "3.1.0" });
  });

  it("is JSON that anybody and any web page may read, and cache for at most an hour", async () => {
    const response = await send("/openapi.json", { headers: { Origin: "https://app.example" } });
    expect(response.headers.get("Content-Type")).toMatch(/^application\/json/);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const seconds = Number(/max-age=(\d+)/.exec(response.headers.get("Cache-Control") ?? "")?.[1]);
    expect(seconds >= 10 && seconds <= 3600).toBe(true);
    expect((await response.json<OpenApi>()).openapi).toBe("3.1.0");
  });

  it("names the instance that it was fetched from, and its authorization server", async () => {
    await makeInstance("other");
    const other = "http://other.localhost";
    for (const origin of [ORIGIN, other, ORIGIN]) {
      const { servers, components } = await read(origin);
      expect(servers).toEqual([{ url: origin }]);
      expect(components.securitySchemes["oauth"]).toMatchObject({
        flows: {
          authorizationCode: {
            authorizationUrl: `${origin}/oauth/authorize`,
            tokenUrl: `${origin}/oauth/token`,
            scopes: { SEARCH: expect.any(String), CHAT: expect.any(String), DOCUMENTS: expect.any(String) },
          },
        },
      });
    }
    expect((await send("http://nobody.localhost/openapi.json")).status).toBe(404);
  });

  it("has exactly the routes that are mounted, those of the Indexing API once", async () => {
    const mounted = routes()
      .filter(({ path }) => APIS.test(path))
      .map(({ method, path }) => `${method} ${path}`);
    expect(new Set(callsOf(await read()))).toEqual(new Set(mounted));
  });

  it("gives each operation a security scheme that it defines, and a unique operationId", async () => {
    const { paths, components } = await read();
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    for (const { security } of operations) {
      expect(security.length).toBeGreaterThan(0);
      for (const name of security.flatMap((one) => Object.keys(one))) {
        expect(Object.keys(components.securitySchemes)).toContain(name);
      }
    }
    const ids = operations.flatMap(({ operationId }) => operationId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(15);
  });
});

describe("the check of responses against the description of the APIs", () => {
  const answer = (status: number, body: unknown) => Response.json(body, { status });
  const url = `${ORIGIN}/rest/api/index/indexdocument`;

  it("accepts responses that are described", async () => {
    await requireAsDescribed("POST", url, answer(200, { success: true }));
    await requireAsDescribed("POST", url, answer(400, { error: "bad_request", message: "m", requestId: "r" }));
  });

  it.each([
    ["a member that is missing", 200, {}],
    ["a member too many", 200, { success: true, more: 1 }],
    ["a member of another type", 200, { success: "yes" }],
    ["a status that is not described", 422, { error: "bad_request", message: "m", requestId: "r" }],
    ["an error of another status", 400, { error: "not_found", message: "m", requestId: "r" }],
    ["an error without a message", 400, { error: "bad_request", requestId: "r" }],
  ])("refuses %s", async (_what, status, body) => {
    await expect(requireAsDescribed("POST", url, answer(status, body))).rejects.toThrow(/described/);
  });

  it("refuses a response that isn't JSON", async () => {
    await expect(requireAsDescribed("POST", url, new Response("{}", { status: 200 }))).rejects.toThrow(/JSON/);
  });
});
