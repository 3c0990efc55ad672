import { rm } from "node:fs/promises";
import { auth, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientOfOld } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportOfOld } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/local/loopback.ts";
import { allowInBrowser, ORIGIN } from "../support/node/gatehouse.ts";
import { McpHost } from "../support/node/mcp-host.ts";
import { makeFolder } from "../support/node/private-folder.ts";

const SERVER = new URL(`${ORIGIN}/mcp`);
const TOOLS = ["search", "fetch", "search_documents", "chat", "whoami"];
const IMPLEMENTATION = { name: "test", version: "1.0.0" };

interface Found {
  readonly results: readonly { readonly id: string; readonly title: string }[];
}

/** Calls that every version of the client offers. */
interface Connected {
  listTools(): Promise<{ tools: readonly { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

/** Lists the tools, searches, fetches the first result, and returns the titles that it found. */
async function ask(client: Connected): Promise<string[]> {
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
  const { results } = await structured<Found>(client, "search", { query: "runbook" });
  const [first] = results;
  expect(await structured(client, "fetch", { id: first?.id })).toMatchObject({ id: first?.id, title: first?.title });
  return results.map(({ title }) => title);
}

async function structured<Shape>(client: Connected, name: string, args: Record<string, unknown>): Promise<Shape> {
  const { structuredContent, content } = (await client.callTool({ name, arguments: args })) as {
    structuredContent: Shape;
    content: [{ text: string }];
  };
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  return structuredContent;
}

describe("clients of the official MCP SDKs", () => {
  it.each(["legacy", "auto", { pin: "2026-07-28" }] as const)(
    "list tools, search and fetch: @modelcontextprotocol/client, version %j",
    async (mode) => {
      const host = new McpHost();
      await host.signIn("ben", SERVER.href);
      const client = new Client(IMPLEMENTATION, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(SERVER, { authProvider: host }));
      expect(client.getServerVersion()?.name).toBe("gatehouse");
      expect(await ask(client as Connected)).toEqual(["Runbook of engineering"]);
      await client.close();
    },
  );

  it("list tools, search and fetch: @modelcontextprotocol/sdk 1, which begins with initialize", async () => {
    const host = new McpHost();
    await host.signIn("ben", SERVER.href);
    const client = new ClientOfOld(IMPLEMENTATION);
    await client.connect(new TransportOfOld(SERVER, { authProvider: host }));
    expect(client.getServerVersion()?.name).toBe("gatehouse");
    expect(await ask(client as Connected)).toEqual(["Runbook of engineering"]);
    await client.close();
  });

  it("step up: when a tool needs another scope, they request it together with the scopes that they have", async () => {
    const host = new McpHost();
    // The host registers for every scope that the metadata lists, as hosts do.
    await auth(host, { serverUrl: SERVER.href });
    await host.signIn("ben", SERVER.href, "SEARCH offline_access");
    expect(host.tokens()?.scope).toBe("SEARCH offline_access");
    const client = new Client(IMPLEMENTATION);
    await client.connect(new StreamableHTTPClientTransport(SERVER, { authProvider: host }));
    await expect(structured(client as Connected, "fetch", { id: "wiki:none" })).rejects.toThrow();
    expect(host.authorizationUrl.searchParams.get("scope")?.split(" ")).toEqual(
      expect.arrayContaining(["SEARCH", "DOCUMENTS", "offline_access"]),
    );
    await host.comeBack("ben", SERVER.href);
    expect(await ask(client as Connected)).toEqual(["Runbook of engineering"]);
    await client.close();
  });
});

describe("mcp-remote, the bridge for hosts without OAuth", () => {
  it("signs in through the browser, and passes on tools", async () => {
    const folder = await makeFolder();
    const port = await findFreePort();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ["node_modules/mcp-remote/dist/proxy.js", SERVER.href, String(port), "--allow-http"],
      // Opens no browser on this machine, and keeps nothing outside the folder.
      env: { PATH: "", HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
      stderr: "pipe",
    });
    let heard = "";
    let hasVisited = false;
    transport.stderr?.on("data", (part: Buffer) => {
      heard += part.toString();
      const url = /(http\S+\/oauth\/authorize\?\S+)\s/.exec(heard)?.[1];
      // The program prints the URL before it listens for the redirect.
      if (url === undefined || hasVisited || !heard.includes("callback server running")) return;
      hasVisited = true;
      allowInBrowser(url, "ben").catch((error: unknown) => {
        heard += `\nThe browser failed: ${String(error)}`;
      });
    });
    const client = new Client(IMPLEMENTATION);
    try {
      // Shorter than the test's own timeout, so that a failure shows what the program printed.
      await client.connect(transport, { timeout: 100_000 });
      expect(await ask(client as Connected)).toEqual(["Runbook of engineering"]);
    } catch (error) {
      throw new Error(heard, { cause: error });
    } finally {
      await client.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
