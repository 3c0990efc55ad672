import { beforeAll, describe, expect, it } from "vitest";
import { MODERN, NEGOTIATED, postMcp, rpc, type RpcAnswer, rpcRequest } from "../support/mcp.ts";
import { issueClientApiToken, makeInstance, ORIGIN, send } from "../support/world.ts";

const ALL = [MODERN, ...NEGOTIATED];

/** Changes to the body, the `_meta` and the headers of a request of 2026-07-28. */
type Change = { body?: object; meta?: object; headers?: Readonly<Record<string, string | undefined>> };

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

let token: string;

beforeAll(async () => {
  token = await issueClientApiToken(await makeInstance(), "ben@acme.example", "SEARCH", "CHAT", "DOCUMENTS");
});

/** Sends a body, and returns the response's status and message. */
async function post(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await postMcp(token, typeof body === "string" ? body : JSON.stringify(body), headers);
  const text = await response.text();
  return { status: response.status, answer: (text === "" ? undefined : JSON.parse(text)) as RpcAnswer | undefined };
}

async function changed({ body = {}, meta = {}, headers = {} }: Change, method = "tools/list", params = {}) {
  const usual = rpcRequest(MODERN, method, params);
  const _meta = { ...(usual.body.params as { _meta: object })._meta, ...meta };
  const all = Object.entries({ ...usual.headers, ...headers }).filter(([, value]) => value !== undefined);
  return post(
    { ...usual.body, params: { ...usual.body.params, _meta }, ...body },
    Object.fromEntries(all) as Record<string, string>,
  );
}

describe("MCP 2026-07-28 (every request describes itself)", () => {
  it("responds to server/discover with versions, capabilities and the server's name, to be cached for an hour", async () => {
    const { response, answer } = await rpc(token, MODERN, "server/discover");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toMatch(/^application\/json\b/);
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: {
        resultType: "complete",
        supportedVersions: ALL,
        capabilities: { tools: {} },
        instructions: expect.any(String),
        ttlMs: 3_600_000,
        cacheScope: "public",
        _meta: {
          "io.modelcontextprotocol/serverInfo": {
            name: "gatehouse",
            title: "acme (Gatehouse)",
            version: expect.any(String),
          },
        },
      },
    });
  });

  it("marks results as complete, and says how long to cache a list, but not a tool's result", async () => {
    const list = (await rpc(token, MODERN, "tools/list")).answer.result;
    expect(list).toMatchObject({ resultType: "complete", ttlMs: 3_600_000, cacheScope: "public" });
    const call = (await rpc(token, MODERN, "tools/call", { name: "whoami", arguments: {} })).answer.result;
    expect(call).toMatchObject({ resultType: "complete" });
    expect(call).not.toHaveProperty("ttlMs");
  });

  it.each<[string, Change, number]>([
    ["no MCP-Protocol-Version header", { headers: { "MCP-Protocol-Version": undefined } }, -32020],
    ["another MCP-Protocol-Version header", { headers: { "MCP-Protocol-Version": "2025-11-25" } }, -32020],
    ["another version in the body", { meta: { [VERSION]: "2025-11-25" } }, -32020],
    ["no Mcp-Method header", { headers: { "Mcp-Method": undefined } }, -32020],
    ["another Mcp-Method header", { headers: { "Mcp-Method": "tools/call" } }, -32020],
    ["an Mcp-Method header in another case", { headers: { "Mcp-Method": "Tools/List" } }, -32020],
    ["a version that is no string", { meta: { [VERSION]: 20260728 } }, -32602],
    ["no version in the body", { meta: { [VERSION]: undefined } }, -32602],
    ["no capabilities", { meta: { [CAPABILITIES]: undefined } }, -32602],
    ["capabilities that are no object", { meta: { [CAPABILITIES]: "all" } }, -32602],
    ["no _meta", { body: { params: {} } }, -32602],
    ["no params", { body: { params: undefined } }, -32602],
    ["params that are an array", { body: { params: [] } }, -32600],
    ["an id that is null", { body: { id: null } }, -32600],
    ["an id that is a fraction", { body: { id: 1.5 } }, -32600],
    ["no jsonrpc", { body: { jsonrpc: undefined } }, -32600],
    ["a method that is no string", { body: { method: 1 } }, -32600],
  ])("refuses %s with 400 and the protocol's error", async (_what, change, code) => {
    const { status, answer } = await changed(change);
    expect({ status, code: answer?.error?.code }).toEqual({ status: 400, code });
    if (!("id" in (change.body ?? {}))) expect(answer?.id).toBe(7);
  });

  it.each([
    ["absent", undefined],
    ["another", "fetch"],
    ["in another case", "Whoami"],
    ["broken base64", "=?base64?d2hvYW1?="],
    ["not UTF-8", "=?base64?/w==?="],
    ["another, encoded", `=?base64?${btoa("fetch")}?=`],
  ])("refuses tools/call whose Mcp-Name is %s", async (_what, name) => {
    const { status, answer } = await changed({ headers: { "Mcp-Name": name } }, "tools/call", { name: "whoami" });
    expect({ status, code: answer?.error?.code }).toEqual({ status: 400, code: -32020 });
  });

  it("accepts an Mcp-Name in base64, even the name of an unknown tool that no header could contain", async () => {
    const whoami = await changed({ headers: { "Mcp-Name": `=?base64?${btoa("whoami")}?=` } }, "tools/call", {
      name: "whoami",
    });
    expect(whoami.answer?.result).toMatchObject({ resultType: "complete" });
    const bytes = new TextEncoder().encode("gefährlich");
    const header = `=?base64?${btoa(String.fromCharCode(...bytes))}?=`;
    const unknown = await changed({ headers: { "Mcp-Name": header } }, "tools/call", { name: "gefährlich" });
    expect(unknown).toMatchObject({ status: 200, answer: { error: { code: -32602 } } });
  });

  it.each(["1900-01-01", "2027-01-01", "v999.0.0", ""])(
    "refuses version %j, and names the supported ones",
    async (one) => {
      const { status, answer } = await changed({ meta: { [VERSION]: one }, headers: { "MCP-Protocol-Version": one } });
      expect(status).toBe(400);
      expect(answer).toMatchObject({ id: 7, error: { code: -32022, data: { supported: ALL, requested: one } } });
    },
  );

  it.each([
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/list",
    "subscriptions/listen",
    "constructor",
    "unknown",
  ])("responds to the method %s, which it doesn't have, with 404 and -32601", async (method) => {
    const { response, answer } = await rpc(token, MODERN, method);
    expect({ status: response.status, id: answer.id, code: answer.error?.code }).toEqual({
      status: 404,
      id: 7,
      code: -32601,
    });
  });

  it("accepts a notification, with an empty response", async () => {
    const notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
    expect(await post(notification, { "MCP-Protocol-Version": MODERN })).toEqual({ status: 202, answer: undefined });
  });

  it("starts no session for a client that sends the session headers of older versions", async () => {
    const { body, headers } = rpcRequest(MODERN, "tools/list");
    const response = await postMcp(token, JSON.stringify(body), {
      ...headers,
      "Mcp-Session-Id": "one",
      "Last-Event-ID": "1",
    });
    expect(response.status).toBe(200);
    expect(response.headers.has("Mcp-Session-Id")).toBe(false);
  });
});

describe.each(NEGOTIATED)("MCP %s (begun by initialize)", (revision) => {
  const initialize = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "test", version: "1" } };

  it("agrees on the requested version, without a session", async () => {
    const response = await postMcp(
      token,
      JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: initialize }),
    );
    expect(response.status).toBe(200);
    expect(response.headers.has("Mcp-Session-Id")).toBe(false);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: 0,
      result: {
        protocolVersion: revision,
        capabilities: { tools: {} },
        serverInfo: { name: "gatehouse", title: "acme (Gatehouse)", version: expect.any(String) },
        instructions: expect.any(String),
      },
    });
  });

  it("continues with initialized, ping, tools/list and tools/call", async () => {
    const header = { "MCP-Protocol-Version": revision };
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    expect(await post(initialized, header)).toEqual({ status: 202, answer: undefined });
    expect((await rpc(token, revision, "ping")).answer).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
    expect((await rpc(token, revision, "tools/list")).answer.result?.["tools"]).toHaveLength(5);
    const call = (await rpc(token, revision, "tools/call", { name: "whoami" })).answer.result;
    expect(call).toMatchObject({ content: [{ type: "text" }], structuredContent: {} });
    expect(call).not.toHaveProperty("resultType");
  });

  it("responds to a method that it doesn't have with 200 and -32601", async () => {
    const { response, answer } = await rpc(token, revision, "resources/list");
    expect({ status: response.status, code: answer.error?.code }).toEqual({ status: 200, code: -32601 });
  });

  it("accepts responses to requests that it never sent", async () => {
    for (const answer of [{ result: {} }, { error: { code: 1, message: "no" } }]) {
      expect(await post({ jsonrpc: "2.0", id: 1, ...answer }, { "MCP-Protocol-Version": revision })).toEqual({
        status: 202,
        answer: undefined,
      });
    }
  });
});

describe("initialize of MCP", () => {
  const ask = (protocolVersion: unknown, headers = {}) =>
    post({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion } }, headers);

  it.each(["2024-11-05", "1999-01-01", MODERN, 7, undefined])(
    "offers the newest version that it negotiates to a client that asks for %j",
    async (requested) => {
      expect((await ask(requested)).answer?.result?.["protocolVersion"]).toBe("2025-11-25");
    },
  );

  it("is refused in 2026-07-28, where every request describes itself", async () => {
    const { status, answer } = await ask("2025-11-25", { "MCP-Protocol-Version": MODERN });
    expect({ status, code: answer?.error?.code }).toEqual({ status: 400, code: -32020 });
  });

  it("must be followed by requests of a supported version: others get 400", async () => {
    const { status, answer } = await post(
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { "MCP-Protocol-Version": "2024-11-05" },
    );
    expect(status).toBe(400);
    expect(answer).toMatchObject({ id: 1, error: { code: -32022, data: { requested: "2024-11-05", supported: ALL } } });
  });

  it("may be followed by requests without a version header, as clients of 2025-03-26 send them", async () => {
    expect((await post({ jsonrpc: "2.0", id: 1, method: "ping" })).answer).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {},
    });
  });
});

describe("several MCP messages in one request", () => {
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });

  it.each([undefined, "2025-03-26"])(
    "each get a response, except notifications, if the version is %s",
    async (version) => {
      const headers: Record<string, string> = version === undefined ? {} : { "MCP-Protocol-Version": version };
      const { status, answer } = await post(
        [
          ping(1),
          { jsonrpc: "2.0", method: "notifications/initialized" },
          { jsonrpc: "2.0", id: 2, method: "none" },
          3,
        ],
        headers,
      );
      expect(status).toBe(200);
      expect(answer).toMatchObject([
        { id: 1, result: {} },
        { id: 2, error: { code: -32601 } },
        { error: { code: -32600 } },
      ]);
    },
  );

  it("get an empty response if all are notifications", async () => {
    expect(await post([{ jsonrpc: "2.0", method: "notifications/initialized" }])).toEqual({
      status: 202,
      answer: undefined,
    });
  });

  it.each([
    ["none", []],
    ["eleven", Array.from({ length: 11 }, (_none, id) => ping(id))],
  ])("are refused if there are %s", async (_what, batch) => {
    expect(await post(batch)).toMatchObject({ status: 400, answer: { error: { code: -32600 } } });
  });

  it.each([MODERN, "2025-11-25", "2025-06-18"])("are refused in %s, which has no batches", async (version) => {
    const { status, answer } = await post([ping(1)], { "MCP-Protocol-Version": version });
    expect({ status, code: answer?.error?.code }).toEqual({ status: 400, code: -32600 });
  });
});

describe("bad input to the MCP endpoint", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

  it.each<[string, string, number, number]>([
    ["nothing", "", 400, -32700],
    ["half an object", '{"jsonrpc":"2.0"', 400, -32700],
    ["a word", "hello", 400, -32700],
    ["null", "null", 400, -32600],
    ["a number", "7", 400, -32600],
    ["an empty object", "{}", 400, -32600],
    ["a member twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32600],
    ["arrays 100,000 deep", nested(100_000), 400, -32600],
    ["params 50,000 deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested(50_000)}}`, 400, -32600],
    ["more than 256 KiB", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(300_000) }), 413, -32600],
  ])("is refused with an error of the protocol: %s", async (_what, body, status, code) => {
    const found = await post(body, { "MCP-Protocol-Version": "2025-11-25" });
    expect({ status: found.status, code: found.answer?.error?.code }).toEqual({ status, code });
    expect(found.answer?.error?.data?.["requestId"]).toEqual(expect.any(String));
  });

  it("gets the tool's error, not a crash, if an argument is nested 97 levels deep", async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":${nested(97)}}}}`;
    const { status, answer } = await post(body, { "MCP-Protocol-Version": "2025-11-25" });
    expect({ status, isError: answer?.result?.["isError"] }).toEqual({ status: 200, isError: true });
  });

  it("is refused if its Content-Type isn't JSON or its encoding isn't UTF-8", async () => {
    const plain = await postMcp(token, "{}", { "Content-Type": "text/plain" });
    expect({ status: plain.status, answer: await plain.json() }).toMatchObject({
      status: 415,
      answer: { jsonrpc: "2.0", error: { code: -32600 } },
    });
    const broken = await send("/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect({ status: broken.status, answer: await broken.json() }).toMatchObject({
      status: 400,
      answer: { jsonrpc: "2.0", error: { code: -32600 } },
    });
  });

  it.each(["GET", "DELETE", "PUT", "PATCH"])("is refused with 405 if the method is %s", async (method) => {
    const response = await send("/mcp", { method, headers: { Authorization: `Bearer ${token}` } });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("POST");
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: 405 } });
  });
});

describe("the check of a web page's origin at the MCP endpoint (2026-07-28, Security & Endpoint)", () => {
  const from = (origin: string) => {
    const { body, headers } = rpcRequest(MODERN, "server/discover");
    return postMcp(token, JSON.stringify(body), { ...headers, Origin: origin });
  };

  it.each([
    "http://evil.example",
    "http://evil.example:8787",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://localhost@evil.example",
    "null",
    "evil.example",
    "https://",
    "",
    ORIGIN.replace("acme.localhost", "acme.localhost.example"),
  ])("refuses %j with 403 and an error without an id", async (origin) => {
    const response = await from(origin);
    expect(response.status).toBe(403);
    expect(response.headers.has("WWW-Authenticate")).toBe(false);
    const answer = await response.json<RpcAnswer>();
    expect(answer).toMatchObject({ jsonrpc: "2.0", error: { code: 403 } });
    expect(answer).not.toHaveProperty("id");
  });

  it.each([
    "http://localhost:6274",
    "http://127.0.0.1:6274",
    "http://[::1]:6274",
    ORIGIN,
    "https://inspector.example",
    "vscode-file://vscode-app",
  ])("accepts %s", async (origin) => {
    expect((await from(origin)).status).toBe(200);
  });

  it("comes before the check of the token", async () => {
    const response = await postMcp(undefined, "{}", { Origin: "http://evil.example" });
    expect(response.status).toBe(403);
  });
});
