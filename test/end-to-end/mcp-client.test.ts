import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
  withOAuth,
} from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { answerConsent, ORIGIN, REDIRECT_URI, search } from "../support/node/gatehouse.ts";

const SEARCH_URL = `${ORIGIN}/rest/api/v1/search`;

/** What a host of the Model Context Protocol keeps about one server; the protocol's own SDK decides what to do with it. */
class Host implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadata = {
    client_name: "Assistant",
    redirect_uris: [REDIRECT_URI],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  /** Where the host sent the person's browser. */
  authorizationUrl = new URL("about:blank");
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #codeVerifier = "";

  state = () => "state-of-the-host";
  clientInformation = () => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation) => void (this.#client = client);
  tokens = () => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens) => void (this.#tokens = tokens);
  discoveryState = () => this.#discovery;
  saveDiscoveryState = (discovery: OAuthDiscoveryState) => void (this.#discovery = discovery);
  codeVerifier = () => this.#codeVerifier;
  saveCodeVerifier = (codeVerifier: string) => void (this.#codeVerifier = codeVerifier);
  redirectToAuthorization = (url: URL) => void (this.authorizationUrl = url);

  /** What happens after the redirect: the person allows, and the app gets the code. */
  async comeBack(sub: string, serverUrl = SEARCH_URL) {
    const callback = await answerConsent(this.authorizationUrl, sub);
    expect(callback.searchParams.get("state")).toBe("state-of-the-host");
    const authorizationCode = callback.searchParams.get("code") ?? "";
    return auth(this, { serverUrl, authorizationCode, iss: callback.searchParams.get("iss") ?? "" });
  }
}

describe("a host of the Model Context Protocol, by its SDK", () => {
  it("finds its way in from nothing but a refused call", async () => {
    const host = new Host();
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
    expect(await host.comeBack("ben")).toBe("AUTHORIZED");
    expect((await call()).status).toBe(200);
  });

  it("asks for everything when no challenge named a scope, and gets what apps may have that registered themselves", async () => {
    const host = new Host();
    expect(await auth(host, { serverUrl: ORIGIN })).toBe("REDIRECT");
    expect(host.authorizationUrl.searchParams.get("scope")).toContain("DOCUMENTS");
    expect(await host.comeBack("carla", ORIGIN)).toBe("AUTHORIZED");
    expect(host.tokens()?.scope).toBe("SEARCH CHAT DOCUMENTS offline_access");
  });

  it("asks for one call alone when it starts from that call's own metadata (RFC 9728 §3.1)", async () => {
    const host = new Host();
    expect(await auth(host, { serverUrl: SEARCH_URL })).toBe("REDIRECT");
    expect(host.authorizationUrl.searchParams.get("scope")).toBe("SEARCH offline_access");
    expect(host.authorizationUrl.searchParams.get("resource")).toBe(SEARCH_URL);
    expect(await host.comeBack("carla")).toBe("AUTHORIZED");
    const { access_token = "" } = host.tokens() ?? {};
    expect((await search(ORIGIN, access_token)).status).toBe(200);
  });

  it("refreshes by itself", async () => {
    const host = new Host();
    await auth(host, { serverUrl: SEARCH_URL });
    await host.comeBack("ben");
    const first = host.tokens();
    expect(await auth(host, { serverUrl: SEARCH_URL })).toBe("AUTHORIZED");
    const second = host.tokens();
    expect(second?.refresh_token).not.toBe(first?.refresh_token);
    expect((await search(ORIGIN, second?.access_token ?? "")).status).toBe(200);
  });

  it("is refused by the SDK, before anybody is asked, where the MCP server is on another host", async () => {
    const elsewhere = "https://mcp.example.com/mcp";
    const host = new Host();
    await expect(withOAuth(host, elsewhere)(serverElsewhere)(elsewhere)).rejects.toThrow(/resource/i);
    expect(host.authorizationUrl.href).toBe("about:blank");
  });
});

/** A server that passes on what the MCP endpoint says, from another host. */
async function serverElsewhere(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  return new URL(url instanceof Request ? url.url : url).pathname === "/mcp"
    ? fetch(`${ORIGIN}/mcp`, init)
    : fetch(url, init);
}
