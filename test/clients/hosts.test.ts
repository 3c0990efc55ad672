import { HOSTS, knownHostOf } from "#clients/hosts.ts";
import { isRedirectPattern } from "#protocol/redirect-pattern.ts";
import { describe, expect, it } from "vitest";

describe("known hosts", () => {
  it.each(HOSTS.map((host) => [host.name, host] as const))("%s has patterns that can match, and a date", (_, host) => {
    for (const pattern of [...host.redirectUris, ...host.documents]) expect(isRedirectPattern(pattern)).toBe(true);
    expect(host.checked).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  const document = (id: string) =>
    knownHostOf({ id, kind: "document", redirectUris: ["https://bad.example/cb"] })?.name;
  const registered = (...redirectUris: string[]) => knownHostOf({ id: "x", kind: "dynamic", redirectUris })?.name;

  it("are known by the address of their document", () => {
    expect(document("https://chatgpt.com/oauth/client.json")).toBe("ChatGPT");
    expect(document("https://chatgpt.com/oauth/codex/AbC_123-def/client.json")).toBe("Codex");
    expect(document("https://chatgpt.com.bad.example/oauth/client.json")).toBeUndefined();
    expect(document("https://chatgpt.com/oauth/a/b/client.json")).toBeUndefined();
  });

  it("are known by where their codes go, all of them, and never by the person's own machine", () => {
    expect(registered("https://claude.ai/api/mcp/auth_callback")).toBe("Claude");
    expect(registered("https://claude.ai/api/mcp/auth_callback", "https://bad.example/cb")).toBeUndefined();
    expect(registered("http://localhost:4711/callback")).toBeUndefined();
    expect(
      registered(
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
      ),
    ).toBe("Cursor");
  });
});
