import { HOSTS, knownHostOf } from "#clients/hosts.ts";
import { isRedirectPattern } from "#protocol/redirect-pattern.ts";
import guide from "../../docs/connect-mcp-host.md?raw";
import { describe, expect, it } from "vitest";

/** Formats addresses as the guide does. */
function places(addresses: readonly string[]): string {
  return addresses.map((address) => `\`${address}\``).join(" ");
}

describe("known hosts", () => {
  it.each(HOSTS.map((host) => [host.name, host] as const))("%s has patterns that can match", (_, host) => {
    for (const pattern of [...host.redirectUris, ...host.documents]) expect(isRedirectPattern(pattern)).toBe(true);
  });

  it("are in the guide, with the source of each entry", () => {
    const rows = guide.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    for (const { id, name, redirectUris, documents } of HOSTS) {
      const [, ...cells] = rows.find((row) => row[2] === `\`${id}\``) ?? [];
      expect(cells).toEqual([
        name,
        `\`${id}\``,
        places(redirectUris),
        places(documents),
        expect.stringMatching(/[#/]/),
        "",
      ]);
    }
  });

  const document = (id: string) =>
    knownHostOf({ id, kind: "document", redirectUris: ["https://bad.example/cb"] })?.name;
  const registered = (...redirectUris: string[]) => knownHostOf({ id: "x", kind: "dynamic", redirectUris })?.name;

  it("are recognised by the URL of their metadata document", () => {
    expect(document("https://chatgpt.com/oauth/client.json")).toBe("ChatGPT");
    expect(document("https://chatgpt.com/oauth/codex/AbC_123-def/client.json")).toBe("Codex");
    expect(document("https://chatgpt.com/oauth/codex/client.json")).toBe("Codex");
    expect(document("https://claude.ai/oauth/mcp-oauth-client-metadata")).toBe("Claude");
    expect(document("https://github.com/copilot/cli/client-metadata.json")).toBe("GitHub Copilot CLI");
    expect(document("https://github.com/somebody/cli/client-metadata.json")).toBeUndefined();
    expect(document("https://chatgpt.com.bad.example/oauth/client.json")).toBeUndefined();
    expect(document("https://chatgpt.com/oauth/a/b/client.json")).toBeUndefined();
  });

  it("are recognised if all of their redirect URIs match, and never by the person's own machine alone", () => {
    expect(registered("https://claude.ai/api/mcp/auth_callback")).toBe("Claude");
    expect(registered("https://claude.ai/api/mcp/auth_callback", "https://bad.example/cb")).toBeUndefined();
    expect(registered("http://localhost:4711/callback")).toBeUndefined();
    expect(registered("https://oauth-redirect.googleusercontent.com/r/user_bound_custom-mcp-1-acme")).toBe("Gemini");
    expect(registered("https://oauth-redirect.googleusercontent.com/r/somebodys-project")).toBeUndefined();
    expect(
      registered(
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
      ),
    ).toBe("Cursor");
  });
});
