import type { InstanceRecord } from "#instance/instances.ts";
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, search } from "../support/app-client.ts";
import { readChallenge } from "../support/challenge.ts";
import { TokenForge } from "../support/forged-tokens.ts";
import { MODERN, NEGOTIATED, postMcp, rpc, type RpcAnswer, toolAnswer, type ToolResult } from "../support/mcp.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { issueClientApiToken, issueIndexingToken, makeInstance, ORIGIN, send } from "../support/world.ts";

const METADATA = `${ORIGIN}/.well-known/oauth-protected-resource/mcp`;
const MCP = `${ORIGIN}/mcp`;

let instance: InstanceRecord;
let app: AppClient;

beforeAll(async () => {
  instance = await makeInstance();
  app = await AppClient.registered();
});

describe("access to the MCP endpoint (2026-07-28, Authorization)", () => {
  it.each(["{}", "", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })])(
    "is refused without a token, with a challenge, whatever the body: %j",
    async (body) => {
      const response = await postMcp(undefined, body);
      expect(response.status).toBe(401);
      expect(readChallenge(response)).toEqual({ resource_metadata: METADATA, scope: "SEARCH CHAT DOCUMENTS" });
    },
  );

  it("is refused with a challenge that begins with Bearer, because clients look at nothing else", async () => {
    expect((await postMcp(undefined, "{}")).headers.get("WWW-Authenticate")).toMatch(/^Bearer resource_metadata="/);
  });

  it("is refused with an invalid token, with a challenge that names the error", async () => {
    const response = await postMcp("nonsense", "{}");
    expect(response.status).toBe(401);
    expect(readChallenge(response)).toMatchObject({
      resource_metadata: METADATA,
      scope: "SEARCH CHAT DOCUMENTS",
      error: "invalid_token",
    });
    expect(await response.json()).toMatchObject({
      jsonrpc: "2.0",
      error: { code: 401, data: { error: "invalid_secret" } },
    });
  });

  it("is refused with a pipeline's token", async () => {
    expect((await postMcp(await issueIndexingToken(instance, "documents:global_scope"), "{}")).status).toBe(401);
  });
});

describe("tokens for the MCP endpoint (RFC 8707)", () => {
  it.each([MCP, `${MCP}/`, ORIGIN])("may be issued for %s", async (resource) => {
    const { access_token } = await app.tokens("ben", { resource });
    expect(decodeJwt(access_token).aud).toBe(resource.replace(/\/$/, ""));
    expect(await toolAnswer(access_token, "search", { query: "token" })).toEqual({ results: [] });
  });

  it("are refused everywhere else if they are only for /mcp", async () => {
    const { access_token } = await app.tokens("ben", { resource: MCP });
    expect((await search(access_token)).status).toBe(401);
    expect((await send("/api/index/v1/getdocumentcount", authorized(access_token))).status).toBe(401);
    expect((await send("/oauth/introspect", authorized(access_token))).status).not.toBe(200);
  });

  it("are refused if they are for a route of the Client API", async () => {
    const { access_token } = await app.tokens("ben", { resource: `${ORIGIN}/rest/api/v1/search` });
    const response = await postMcp(access_token, "{}");
    expect({ status: response.status, error: readChallenge(response)["error"] }).toEqual({
      status: 401,
      error: "invalid_token",
    });
  });

  it("have every requested scope for a host that registered itself, which may call fetch", async () => {
    const { access_token, scope } = await app.tokens("ben", {
      resource: MCP,
      scope: "SEARCH CHAT DOCUMENTS offline_access",
    });
    expect(scope).toBe("SEARCH CHAT DOCUMENTS offline_access");
    const { answer } = await rpc(access_token, MODERN, "tools/call", { name: "fetch", arguments: { id: "wiki:none" } });
    expect(answer.result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^There is no/) }] });
  });
});

describe("step-up (2026-07-28, Scope Challenge Handling)", () => {
  const NEEDED = { search: "SEARCH", search_documents: "SEARCH", fetch: "DOCUMENTS", chat: "CHAT" };
  const ORDER = ["SEARCH", "CHAT", "DOCUMENTS"];

  it.each([MODERN, ...NEGOTIATED])(
    "asks in %s for the scopes that the token has and the one that it lacks",
    async (revision) => {
      for (const held of ORDER) {
        const token = await issueClientApiToken(instance, "ben@acme.example", held);
        for (const [name, scope] of Object.entries(NEEDED)) {
          if (scope === held) continue;
          const { response, answer } = await rpc(token, revision, "tools/call", { name, arguments: {} });
          expect(response.status).toBe(403);
          const challenge = readChallenge(response);
          expect(challenge).toEqual({
            resource_metadata: METADATA,
            scope: ORDER.filter((one) => one === held || one === scope).join(" "),
            error: "insufficient_scope",
            error_description: expect.stringContaining(scope),
          });
          const result = answer.result as unknown as ToolResult;
          expect(result).toMatchObject({ isError: true, content: [{ text: challenge["error_description"] }] });
          expect(result._meta).toEqual({ "mcp/www_authenticate": [response.headers.get("WWW-Authenticate")] });
        }
      }
    },
  );

  it("asks for no scope for whoami and tools/list", async () => {
    const token = await issueClientApiToken(instance, "ben@acme.example", "CHAT");
    expect(await toolAnswer(token, "whoami")).toHaveProperty("id");
    expect((await rpc(token, MODERN, "tools/list")).response.status).toBe(200);
  });

  it("reaches ChatGPT only in the tool's result, with status 200, and Codex with status 403", async () => {
    const { access_token } = await app.tokens("ben", { scope: "CHAT" });
    const forge = await TokenForge.of("acme", access_token);
    const call = async (client_id: string) =>
      rpc(await forge.withClaims({ client_id }), MODERN, "tools/call", { name: "search", arguments: { query: "x" } });
    for (const path of ["client.json", "a1/client.json"]) {
      const { response, answer } = await call(`https://chatgpt.com/oauth/${path}`);
      expect(response.status).toBe(200);
      expect(answer.result).toMatchObject({
        isError: true,
        _meta: { "mcp/www_authenticate": [expect.stringMatching(/^Bearer .*error="insufficient_scope"/)] },
      });
    }
    for (const other of [
      "https://chatgpt.com/oauth/codex/a1/client.json",
      "https://chatgpt.com.evil.example/oauth/client.json",
      "https://evil.example/https://chatgpt.com/oauth/client.json",
    ]) {
      expect((await call(other)).response.status).toBe(403);
    }
  });
});

describe("storage behind the MCP endpoint", () => {
  it("causes a 503 with Retry-After and the request's id while it fails, and tools/list still works", async () => {
    const isolate = new ObservedIsolate();
    const { access_token } = await app.tokens();
    const call = (name: string) =>
      isolate.send("/mcp", {
        ...authorized(access_token),
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 3,
          method: "tools/call",
          params: { name, arguments: { query: "x" } },
        }),
      });
    expect((await call("search")).status).toBe(200);
    isolate.documentsFailing = true;
    const response = await call("search");
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("5");
    expect(await response.json()).toMatchObject({
      jsonrpc: "2.0",
      id: 3,
      error: { code: -32603, data: { error: "search_unavailable", requestId: expect.any(String) } },
    });
    const list = await isolate.send("/mcp", {
      ...authorized(access_token),
      body: JSON.stringify({ jsonrpc: "2.0", id: 4, method: "tools/list" }),
    });
    expect(list.status).toBe(200);
  });

  it("is not read for requests that call no tool", async () => {
    const isolate = new ObservedIsolate();
    const { access_token } = await app.tokens();
    const ask = (method: string) =>
      isolate.send("/mcp", {
        ...authorized(access_token),
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} }),
      });
    await ask("ping");
    isolate.reset();
    for (const method of ["initialize", "ping", "tools/list", "none"]) expect((await ask(method)).status).toBe(200);
    expect(isolate.statements).toBe(0);
  });
});

function authorized(token: string) {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: "{}",
  };
}

describe("a URL that is not the MCP endpoint's", () => {
  it.each(["/", "/mcp/", "/sse", "/mcp/sse"])("gets a 404 that names the right one: POST %s", async (path) => {
    const response = await send(path, authorized("any"));
    expect(response.status).toBe(404);
    const { error } = await response.json<RpcAnswer>();
    expect(error).toMatchObject({ code: 404, message: expect.stringContaining(`${ORIGIN}/mcp`) });
  });

  it("shows the right one on the page that a person opens at /", async () => {
    expect(await (await send("/")).text()).toContain(`<code class="address">${ORIGIN}/mcp</code>`);
  });
});
