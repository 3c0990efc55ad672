import { beforeAll, describe, expect, it } from "vitest";
import { makeInstance, send } from "../support/world.ts";

const BROWSER_APP = { Origin: "https://app.example" };

/** Headers that apps in web pages send: for tokens, for the type of the body, and those of the Model Context Protocol. */
const ASKED = [
  "authorization",
  "content-type",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "mcp-session-id",
  "x-gatehouse-auth-type",
];

/** Endpoints that any web page may call, with the status of a request that has no token and no body. */
const OPEN: [method: string, path: string, status: number][] = [
  ["GET", "/.well-known/oauth-authorization-server", 200],
  ["GET", "/.well-known/oauth-protected-resource", 200],
  ["GET", "/oauth/jwks", 200],
  ["POST", "/oauth/register", 400],
  ["POST", "/oauth/token", 400],
  ["POST", "/oauth/par", 400],
  ["POST", "/oauth/revoke", 400],
  ["POST", "/rest/api/v1/search", 401],
  ["POST", "/rest/api/v1/nothing", 404],
  ["GET", "/.well-known/oauth-protected-resource/mcp", 200],
  ["POST", "/mcp", 401],
  ["GET", "/mcp", 405],
  ["POST", "/mcp/", 404],
  ["POST", "/sse", 404],
  ["POST", "/api/index/v1/indexdocument", 401],
  ["POST", "/api/index/v1/indexdocuments", 401],
  ["POST", "/rest/api/index/indexdocument", 401],
];

/** Pages that only a person's browser visits. */
const CLOSED: [method: string, path: string][] = [
  ["GET", "/"],
  ["GET", "/oauth/authorize"],
  ["GET", "/oauth/callback"],
  ["GET", "/oauth/consent"],
  ["POST", "/oauth/consent"],
];

function preflight(method: string, path: string): Promise<Response> {
  return send(path, {
    method: "OPTIONS",
    headers: {
      ...BROWSER_APP,
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": ASKED.join(", "),
    },
  });
}

const listOf = (response: Response, header: string) =>
  (response.headers.get(header) ?? "").split(",").map((word) => word.trim().toLowerCase());

const grantsOf = (response: Response) =>
  [...response.headers.keys()].filter((name) => name.startsWith("access-control"));

describe("cross-origin requests (Fetch standard)", () => {
  beforeAll(() => makeInstance());

  describe.each(OPEN)("%s %s", (method, path, status) => {
    it(`${method} ${path} lets any page read the response, even an error, but never with cookies`, async () => {
      const response = await send(path, { method, headers: BROWSER_APP });
      expect(response.status).toBe(status);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.has("Access-Control-Allow-Credentials")).toBe(false);
    });

    it(`${method} ${path} sends CORS headers without an Origin only for GET, because a cache may keep that response for a page`, async () => {
      const response = await send(path, { method });
      expect(grantsOf(response).length > 0).toBe(method === "GET");
    });

    it(`${method} ${path} exposes WWW-Authenticate, Retry-After and X-Request-Id to pages`, async () => {
      const response = await send(path, { method, headers: BROWSER_APP });
      const exposed = listOf(response, "Access-Control-Expose-Headers");
      expect(exposed).toEqual(expect.arrayContaining(["www-authenticate", "retry-after", "x-request-id"]));
    });

    it(`${method} ${path} accepts the preflight request without a token`, async () => {
      const response = await preflight(method, path);
      expect(response.status).toBe(204);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(listOf(response, "Access-Control-Allow-Methods")).toContain(method.toLowerCase());
      expect(listOf(response, "Access-Control-Allow-Headers")).toEqual(expect.arrayContaining(ASKED));
      expect(response.headers.has("Access-Control-Allow-Credentials")).toBe(false);
    });
  });

  it.each(CLOSED)("sends no CORS headers for %s %s to a page of another origin", async (method, path) => {
    expect(grantsOf(await send(path, { method, headers: BROWSER_APP }))).toEqual([]);
    expect(grantsOf(await preflight(method, path))).toEqual([]);
  });
});
