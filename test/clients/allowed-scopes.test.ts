import { allowedScopes, type ScopedClient, unaskedScopes } from "#clients/allowed-scopes.ts";
import { describe, expect, it } from "vitest";

const CLIENT: ScopedClient = {
  id: "app",
  kind: "dynamic",
  scopes: ["SEARCH", "CHAT", "offline_access", "email"],
  redirectUris: ["https://app.example/cb"],
};
const settings = (
  dynamicScopes: Parameters<typeof allowedScopes>[1]["dynamicScopes"],
  identityHosts: string[] = [],
) => ({ dynamicScopes, identityHosts });

describe("the scopes that a client may be granted", () => {
  it("are never more than the instance allows, if no administrator created it", () => {
    expect(allowedScopes(CLIENT, settings(["SEARCH", "DOCUMENTS"]))).toEqual(["SEARCH"]);
    expect(allowedScopes({ ...CLIENT, kind: "document" }, settings(["SEARCH"]))).toEqual(["SEARCH"]);
    expect(allowedScopes(CLIENT, settings([]))).toEqual([]);
  });

  it("are its own if an administrator created it, whatever the instance allows others", () => {
    expect(allowedScopes({ ...CLIENT, kind: "static" }, settings([]))).toEqual(CLIENT.scopes);
  });

  it("include who the person is only for a chosen host, at that host's own address", () => {
    const claude = { ...CLIENT, redirectUris: ["https://claude.ai/api/mcp/auth_callback"] };
    expect(allowedScopes(claude, settings(["SEARCH"]))).toEqual(["SEARCH"]);
    expect(allowedScopes(claude, settings(["SEARCH"], ["claude"]))).toEqual(["SEARCH", "email"]);
    expect(allowedScopes(CLIENT, settings(["SEARCH"], ["claude"]))).toEqual(["SEARCH"]);
    const mixed = { ...claude, redirectUris: [...claude.redirectUris, "https://app.example/cb"] };
    expect(allowedScopes(mixed, settings(["SEARCH"], ["claude"]))).toEqual(["SEARCH"]);
    expect(allowedScopes(mixed, settings(["SEARCH"], ["claude"]), "https://app.example/cb")).toEqual(["SEARCH"]);
  });

  it("are without offline_access and the person's identity, if the request names no scope", () => {
    expect(unaskedScopes(CLIENT, CLIENT.scopes)).toEqual(["SEARCH", "CHAT"]);
  });
});
