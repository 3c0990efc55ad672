import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readChallenge, readRefusal } from "../support/challenge.ts";
import { search } from "../support/app-client.ts";
import { postMcp } from "../support/mcp.ts";
import { apiRoutes, routes } from "../support/routes.ts";
import { changeSettings, makeInstance, ORIGIN, send } from "../support/world.ts";

const PATH = "/.well-known/oauth-protected-resource";

/** Every resource, as a path under the origin, with the scopes of the routes below it. */
const RESOURCES: [path: string, scopes: string[]][] = [
  ["", ["SEARCH", "CHAT", "DOCUMENTS"]],
  ["/rest/api/v1", ["SEARCH", "CHAT", "DOCUMENTS"]],
  ["/rest/api/v1/search", ["SEARCH"]],
  ["/rest/api/v1/chat", ["CHAT"]],
  ["/rest/api/v1/getdocuments", ["DOCUMENTS"]],
  ["/mcp", ["SEARCH", "CHAT", "DOCUMENTS"]],
];

interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers?: string[];
  readonly scopes_supported: string[];
  readonly resource_name: string;
}

async function read(url = PATH): Promise<ResourceMetadata> {
  const response = await send(url);
  expect(response.status).toBe(200);
  return response.json<ResourceMetadata>();
}

describe("protected resource metadata (RFC 9728)", () => {
  beforeAll(() => makeInstance());
  beforeEach(() => changeSettings("acme", { oauthEnabled: true }));

  it("is JSON at the well-known URL, with exactly the members that apply (§2, §3.2)", async () => {
    const response = await send(PATH);
    expect(response.headers.get("Content-Type")).toMatch(/^application\/json\b/);
    expect(await response.json()).toEqual({
      resource: ORIGIN,
      authorization_servers: [ORIGIN],
      scopes_supported: ["SEARCH", "CHAT", "DOCUMENTS"],
      bearer_methods_supported: ["header"],
      dpop_signing_alg_values_supported: ["ES256", "PS256", "Ed25519", "EdDSA"],
      resource_name: expect.any(String),
    });
  });

  it.each(RESOURCES)("exists for %j, with the scopes of the routes below it (§3.1)", async (path, scopes) => {
    expect(await read(PATH + path)).toEqual({
      resource: ORIGIN + path,
      authorization_servers: [ORIGIN],
      scopes_supported: scopes,
      bearer_methods_supported: ["header"],
      dpop_signing_alg_values_supported: ["ES256", "PS256", "Ed25519", "EdDSA"],
      resource_name: expect.any(String),
    });
  });

  it("exists for every route of the Client API and what is above it, for the MCP endpoint, and for nothing else", async () => {
    const calls = apiRoutes()
      .filter(({ path }) => path.startsWith("/rest/api/v1/") || path === "/mcp")
      .map(({ path }) => path);
    expect(calls).not.toEqual([]);
    for (const path of calls) expect(await read(PATH + path)).toMatchObject({ resource: ORIGIN + path });
    const described = routes().filter(({ path }) => path.startsWith(PATH));
    const documented = new Set(described.map(({ path }) => path.slice(PATH.length)));
    expect([...documented].sort()).toEqual(["", "/rest/api/v1", ...calls].sort());
  });

  it("is at the URL that the Client API's challenge names, and describes that resource (§3.3, §5.1)", async () => {
    const challenge = readChallenge(await search(undefined));
    expect(challenge["resource_metadata"]).toBe(ORIGIN + PATH);
    expect((await read(challenge["resource_metadata"])).resource).toBe(ORIGIN);
  });

  it("is at the URL that the MCP endpoint's challenge names, and describes that endpoint (§3.3)", async () => {
    const challenge = readChallenge(await postMcp(undefined, "{}"));
    expect(challenge["resource_metadata"]).toBe(`${ORIGIN}${PATH}/mcp`);
    expect((await read(challenge["resource_metadata"])).resource).toBe(`${ORIGIN}/mcp`);
  });

  it("names an authorization server whose own metadata has the same issuer (RFC 8414 §3.3)", async () => {
    const [issuer = ""] = (await read()).authorization_servers ?? [];
    const metadata = await (await send(`${issuer}/.well-known/oauth-authorization-server`)).json<{ issuer: string }>();
    expect(metadata.issuer).toBe(issuer);
  });

  it("names no authorization server while OAuth is off, and names it again when OAuth is on", async () => {
    await changeSettings("acme", { oauthEnabled: false });
    for (const [path] of RESOURCES) expect(await read(PATH + path)).not.toHaveProperty("authorization_servers");
    await changeSettings("acme", { oauthEnabled: true });
    for (const [path] of RESOURCES) expect((await read(PATH + path)).authorization_servers).toEqual([ORIGIN]);
  });

  it("never lists offline_access, which opens no API", async () => {
    for (const [path] of RESOURCES) expect(JSON.stringify(await read(PATH + path))).not.toContain("offline_access");
  });

  it("names the request's origin, for every host of every instance", async () => {
    await makeInstance("other");
    for (const origin of ["http://other.localhost", "http://localhost", "https://acme-be.example.com"]) {
      for (const [path] of RESOURCES) {
        const metadata = await read(origin + PATH + path);
        expect(metadata).toMatchObject({ resource: origin + path, authorization_servers: [origin] });
      }
    }
  });

  it("has the display name that the administrator set", async () => {
    await changeSettings("acme", { displayName: "Acme & Söhne" });
    expect((await read()).resource_name).toContain("Acme & Söhne");
  });

  it("ignores headers that name another host or scheme", async () => {
    const headers = {
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "https",
      "X-Original-Host": "evil.example",
      Forwarded: "host=evil.example;proto=https",
    };
    const response = await send(PATH, { headers });
    expect(await response.json()).toMatchObject({ resource: ORIGIN, authorization_servers: [ORIGIN] });
  });

  it("doesn't exist on hosts without an instance, nor at other paths", async () => {
    for (const url of [
      `http://nobody.localhost${PATH}`,
      `https://acme.example.com${PATH}`,
      `${PATH}/`,
      `${PATH}/rest`,
      `${PATH}/rest/api`,
      `${PATH}/rest/api/v1/`,
      `${PATH}/mcp/`,
      `${PATH}/mcp/search`,
      `${PATH}/rest/api/v1/nothing`,
      `${PATH}/rest/api/v1/search/`,
      `${PATH}/rest/api/v1/search/more`,
      `${PATH}/REST/api/v1`,
      `${PATH}/api/index/v1`,
      `${PATH}/rest/api/index/indexdocument`,
      `${PATH}/oauth/token`,
      `/rest/api/v1${PATH}`,
    ]) {
      const response = await send(url);
      expect([url, response.status]).toEqual([url, 404]);
      expect((await readRefusal(response)).requestId).toBe(response.headers.get("X-Request-Id"));
    }
  });

  it("is read-only: POST gets 405", async () => {
    for (const [path] of RESOURCES) {
      const response = await send(PATH + path, { method: "POST" });
      expect([path, response.status, response.headers.get("Allow")]).toEqual([path, 405, "GET, HEAD"]);
    }
  });
});
