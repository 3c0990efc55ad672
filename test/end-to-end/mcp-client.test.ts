import { auth, UnauthorizedError, withOAuth } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { ORIGIN, search } from "../support/node/gatehouse.ts";
import { McpHost } from "../support/node/mcp-host.ts";

const SEARCH_URL = `${ORIGIN}/rest/api/v1/search`;

describe("an MCP host that uses the protocol's SDK", () => {
  it("finds everything that it needs to sign in from a refused call", async () => {
    const host = new McpHost();
    const fetchAsPerson = withOAuth(host, SEARCH_URL)(fetch);
    const call = () =>
      fetchAsPerson(SEARCH_URL, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ query: "token" }),
      });
    await expect(call()).rejects.toThrow(UnauthorizedError);
    // The challenge named the scope, and the metadata said that refresh tokens exist.
    expect(host.authorizationUrl.searchParams.get("scope")).toBe("SEARCH offline_access");
    expect(host.authorizationUrl.searchParams.get("resource")).toBe(ORIGIN);
    expect(await host.comeBack("ben", SEARCH_URL)).toBe("AUTHORIZED");
    expect((await call()).status).toBe(200);
  });

  it("requests every scope if no challenge named one, and gets those that registered clients may have", async () => {
    const host = new McpHost();
    expect(await auth(host, { serverUrl: ORIGIN })).toBe("REDIRECT");
    expect(host.authorizationUrl.searchParams.get("scope")).toContain("DOCUMENTS");
    expect(await host.comeBack("carla", ORIGIN)).toBe("AUTHORIZED");
    expect(host.tokens()?.scope).toBe("SEARCH CHAT DOCUMENTS offline_access");
  });

  it("requests only the scopes of one call if it starts from that call's own metadata (RFC 9728 §3.1)", async () => {
    const host = new McpHost();
    expect(await auth(host, { serverUrl: SEARCH_URL })).toBe("REDIRECT");
    expect(host.authorizationUrl.searchParams.get("scope")).toBe("SEARCH offline_access");
    expect(host.authorizationUrl.searchParams.get("resource")).toBe(SEARCH_URL);
    expect(await host.comeBack("carla", SEARCH_URL)).toBe("AUTHORIZED");
    const { access_token = "" } = host.tokens() ?? {};
    expect((await search(ORIGIN, access_token)).status).toBe(200);
  });

  it("refreshes its tokens by itself", async () => {
    const host = new McpHost();
    await auth(host, { serverUrl: SEARCH_URL });
    await host.comeBack("ben", SEARCH_URL);
    const first = host.tokens();
    expect(await auth(host, { serverUrl: SEARCH_URL })).toBe("AUTHORIZED");
    const second = host.tokens();
    expect(second?.refresh_token).not.toBe(first?.refresh_token);
    expect((await search(ORIGIN, second?.access_token ?? "")).status).toBe(200);
  });

  it("is stopped by the SDK, before anybody signs in, if the MCP server is on another host", async () => {
    const elsewhere = "https://mcp.example.com/mcp";
    const host = new McpHost();
    const call = () => withOAuth(host, elsewhere)(serverElsewhere)(elsewhere, { method: "POST" });
    await expect(call()).rejects.toThrow(/resource/i);
    expect(host.authorizationUrl.href).toBe("about:blank");
  });
});

/** Plays an MCP server on another host that forwards requests to our MCP endpoint. */
async function serverElsewhere(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  return new URL(url instanceof Request ? url.url : url).pathname === "/mcp"
    ? fetch(`${ORIGIN}/mcp`, init)
    : fetch(url, init);
}
