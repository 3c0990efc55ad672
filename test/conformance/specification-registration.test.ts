import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, CHALLENGE, REDIRECT_URI, register, search } from "../support/app-client.ts";
import { signedInDirectly } from "../support/direct-sso.ts";
import { DocumentHost } from "../support/document-host.ts";
import { callTool } from "../support/mcp.ts";
import { expectOAuthError } from "../support/oauth-answers.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { issueAdminToken } from "../support/service-tokens.ts";
import { approveClient, changeSettings, makeInstance, send, travel } from "../support/world.ts";

/** What Cursor registers: the addresses of all its platforms. */
const CURSOR = {
  client_name: "Cursor",
  redirect_uris: [
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "http://localhost:8787/callback",
  ],
};

const CLAUDE = { redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] };

const ALL = ["SEARCH", "CHAT", "DOCUMENTS", "offline_access", "openid", "email"];

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});

afterEach(() => changeSettings("acme", { dynamicScopes: undefined, identityHosts: undefined }));

/** Registers an app, and returns the scopes that the response names. */
async function scopesOf(metadata: Record<string, unknown>): Promise<string[]> {
  const response = await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none", ...metadata });
  expect(response.status).toBe(201);
  return (await response.json<{ scope: string }>()).scope.split(" ");
}

/** Returns the error that an authorization request gets before the person signs in; `null` if it goes on to the sign-in. */
async function errorOf(app: AppClient, scope: string | undefined): Promise<string | null> {
  const response = await send(app.authorizeUrl(CHALLENGE, { scope }));
  expect(response.status).toBe(302);
  return new URL(response.headers.get("Location") ?? "").searchParams.get("error");
}

describe("Dynamically registered clients are limited to a restricted subset of scopes", () => {
  const grantedTo = async (app: AppClient, scope = ALL.join(" ")) =>
    (await app.tokens("ben", { scope })).scope.split(" ");

  it("by default to SEARCH, CHAT, DOCUMENTS and offline_access, whatever they register for and ask for", async () => {
    const subset = ["SEARCH", "CHAT", "DOCUMENTS", "offline_access"];
    expect(await scopesOf({})).toEqual(subset);
    expect(await scopesOf({ scope: ALL.join(" ") })).toEqual(subset);
    expect(await grantedTo(await AppClient.registered({ scope: ALL.join(" ") }))).toEqual(subset);
    const host = new DocumentHost();
    const clientId = "https://app.example/client.json";
    host.publish(clientId, { client_id: clientId, redirect_uris: [REDIRECT_URI], scope: ALL.join(" ") });
    expect(await grantedTo(AppClient.of(clientId, REDIRECT_URI))).toEqual(subset);
  });

  it("and static clients are not", async () => {
    expect(await grantedTo(await AppClient.madeByAdministrator(instance))).toEqual(ALL);
  });

  it("to none of openid and email, unless an administrator adds them for all such clients", async () => {
    const dynamicScopes = ["SEARCH", "DOCUMENTS", "offline_access", "openid", "email"];
    await changeSettings("acme", { dynamicScopes });
    expect(await grantedTo(await AppClient.registered())).toEqual(dynamicScopes);
  });

  it("never to all scopes that static clients can have", async () => {
    await expect(changeSettings("acme", { dynamicScopes: ALL })).rejects.toMatchObject({ member: "dynamicScopes" });
    await expect(changeSettings("acme", { dynamicScopes: ALL.toReversed() })).rejects.toThrow("at least one scope");
  });

  it("to openid and email at a known host to which an administrator adds them, until they are withdrawn", async () => {
    await changeSettings("acme", { identityHosts: ["claude"] });
    const claude = await AppClient.registered(CLAUDE);
    const tokens = await claude.tokens("ben", { scope: "openid email SEARCH offline_access" });
    expect(tokens).toMatchObject({ scope: "openid email SEARCH offline_access", id_token: expect.any(String) });
    const told = () => send("/oauth/userinfo", { headers: { Authorization: `Bearer ${tokens.access_token}` } });
    expect(await (await told()).json()).toHaveProperty("email");
    const named = { client_name: "Claude" };
    expect(await grantedTo(await AppClient.registered(named), "openid email SEARCH")).toEqual(["SEARCH"]);
    const profile = async () => JSON.stringify(await callTool(tokens.access_token, "whoami"));
    expect(await profile()).toContain("ben@acme.example");
    await changeSettings("acme", { identityHosts: ["chatgpt"] });
    expect((await told()).status).toBe(403);
    expect(await profile()).not.toContain("ben@acme.example");
    const refreshed = await (await claude.refresh(tokens.refresh_token)).json();
    expect(refreshed).toMatchObject({ scope: "SEARCH offline_access" });
  });

  it("also at a known host's address on the person's own machine, where any program may receive the response", async () => {
    await changeSettings("acme", { identityHosts: ["cursor"] });
    const app = await AppClient.registered(CURSOR);
    const local = AppClient.of(app.clientId, "http://localhost:8787/callback");
    expect(await grantedTo(local, "openid email SEARCH")).toEqual(["SEARCH"]);
    const atMaker = AppClient.of(app.clientId, "https://www.cursor.com/agents/mcp/oauth/callback");
    expect(await grantedTo(atMaker, "openid email SEARCH")).toEqual(["openid", "email", "SEARCH"]);
  });

  it("and hosts that ask for openid, email and profile out of habit connect all the same", async () => {
    const app = await AppClient.registered({ scope: "openid email profile" });
    expect(await grantedTo(app, "openid email profile SEARCH offline_access")).toEqual(["SEARCH", "offline_access"]);
    expect(await errorOf(app, "openid email profile")).toBe("invalid_scope");
  });
});

describe("To obtain a refresh token, an app requests offline_access", () => {
  const CLIENTS = ["static", "registered", "described by a document"] as const;

  async function appOf(kind: (typeof CLIENTS)[number]): Promise<AppClient> {
    if (kind === "static") return AppClient.madeByAdministrator(instance);
    if (kind === "registered") return AppClient.registered();
    const clientId = "https://app.example/stay/client.json";
    new DocumentHost().publish(clientId, { client_id: clientId, redirect_uris: [REDIRECT_URI] });
    return AppClient.of(clientId, REDIRECT_URI);
  }

  it.each(CLIENTS)("and without a scope, a client that is %s gets the scopes of the APIs only", async (kind) => {
    const app = await appOf(kind);
    const { scope, refresh_token } = await app.tokens("ben", { scope: undefined });
    expect({ scope, refresh_token }).toEqual({ scope: "SEARCH CHAT DOCUMENTS", refresh_token: undefined });
    expect(await app.tokens("ben", { scope: "SEARCH offline_access" })).toHaveProperty("refresh_token");
  });

  it("or is a known host that never sends a scope, such as Cursor: its people see it on the consent page, and can clear it", async () => {
    const app = AppClient.of((await AppClient.registered(CURSOR)).clientId, CURSOR.redirect_uris[0] ?? "");
    const { scope, refresh_token } = await app.tokens("ben", { scope: undefined });
    expect(scope).toBe("SEARCH CHAT DOCUMENTS offline_access");
    expect((await app.refresh(refresh_token)).status).toBe(200);
    const browser = app.browser();
    const page = await app.toConsent(browser, "ben", app.authorizeUrl(CHALLENGE, { scope: undefined }));
    expect(page.html).toMatch(/<input[^>]*type="checkbox"[^>]*name="scope"[^>]*value="offline_access"[^>]*checked/);
  });

  it("and an administrator can withdraw it also from such a host", async () => {
    await changeSettings("acme", { dynamicScopes: ["SEARCH", "CHAT", "DOCUMENTS"] });
    const app = AppClient.of((await AppClient.registered(CURSOR)).clientId, CURSOR.redirect_uris[0] ?? "");
    expect(await app.tokens("ben", { scope: undefined })).not.toHaveProperty("refresh_token");
  });

  it.each([
    ["its name", { client_name: "Cursor", redirect_uris: [REDIRECT_URI] }],
    ["its address on the person's machine", { ...CURSOR, redirect_uris: ["http://localhost:8787/callback"] }],
    ["an address more than its own", { ...CURSOR, redirect_uris: [...CURSOR.redirect_uris, REDIRECT_URI] }],
  ])("and an app with %s is not recognised as such a host", async (_, metadata) => {
    const app = AppClient.of((await AppClient.registered(metadata)).clientId, metadata.redirect_uris.at(-1) ?? "");
    expect(await app.tokens("ben", { scope: undefined })).not.toHaveProperty("refresh_token");
  });
});

describe("Administrators can disable dynamic registration", () => {
  const CLIENT_ID = "https://app.example/client.json";
  let host: DocumentHost;

  beforeEach(() => {
    host = new DocumentHost();
  });
  afterEach(() => changeSettings("acme", { registration: "open", approvedRedirectUris: undefined }));

  /** Publishes an app's document, and returns the app. */
  function publish(clientId = CLIENT_ID, changes: Record<string, unknown> = {}): AppClient {
    host.publish(clientId, { client_id: clientId, redirect_uris: [REDIRECT_URI], ...changes });
    return AppClient.of(clientId, REDIRECT_URI);
  }

  /** Returns the status of an authorization request: 302 to the sign-in, or that of an error page. */
  const statusOf = async (app: AppClient) => (await send(app.authorizeUrl(CHALLENGE))).status;
  /** Returns the status of the page after the sign-in: 403 if the app waits for approval. */
  const afterSignIn = async (app: AppClient) => {
    const page = await app.browser(signedInDirectly("ben", send)).visit(app.authorizeUrl(CHALLENGE));
    return "status" in page ? page.status : 0;
  };

  const metadata = async () => (await send("/.well-known/oauth-authorization-server")).json<Record<string, unknown>>();

  it("and then no app registers, no app's document is read, and the metadata offers neither way", async () => {
    await changeSettings("acme", { registration: "off" });
    await expectOAuthError(await register({ redirect_uris: [REDIRECT_URI] }), 403, "registration_not_enabled");
    const page = await send(publish("https://app.example/never.json").authorizeUrl(CHALLENGE));
    expect([page.status, page.headers.get("Location")]).toEqual([403, null]);
    expect(await page.text()).toContain("only apps that an administrator created or approved");
    expect(host.asked).toEqual([]);
    expect(await metadata()).not.toHaveProperty("registration_endpoint");
    expect(await metadata()).toHaveProperty("client_id_metadata_document_supported", false);
  });

  it("and then people sign in with no app that came either way before, but keep what they allowed it", async () => {
    for (const app of [await AppClient.registered(), publish("https://app.example/before.json")]) {
      const { refresh_token, access_token } = await app.tokens();
      await changeSettings("acme", { registration: "off" });
      expect(await statusOf(app)).toBe(403);
      expect((await search(access_token)).status).toBe(200);
      expect((await app.refresh(refresh_token)).status).toBe(200);
      await changeSettings("acme", { registration: "open" });
      expect(await statusOf(app)).toBe(302);
    }
  });

  it("and then apps that an administrator created or approved work as before", async () => {
    const apps = [await AppClient.registered(), publish("https://app.example/approved.json")];
    for (const app of apps) await app.tokens();
    await changeSettings("acme", { registration: "off" });
    for (const { clientId } of apps) expect(await approveClient(instance, clientId)).toBe("approved");
    for (const app of [...apps, await AppClient.madeByAdministrator(instance)]) {
      expect(await app.tokens()).toHaveProperty("refresh_token");
    }
  });

  it("or let new apps wait for approval, whichever way they come", async () => {
    await changeSettings("acme", { registration: "approval" });
    for (const app of [await AppClient.registered(), publish("https://app.example/waits.json")]) {
      expect(await afterSignIn(app)).toBe(403);
      expect(await approveClient(instance, app.clientId)).toBe("approved");
      expect(await app.tokens()).toHaveProperty("refresh_token");
    }
  });

  it("and an app whose document changes after its approval waits again", async () => {
    await changeSettings("acme", { registration: "approval" });
    const app = publish("https://app.example/changes.json");
    expect(await afterSignIn(app)).toBe(403);
    await approveClient(instance, app.clientId);
    for (const changes of [{ client_name: "Payroll" }, { redirect_uris: [REDIRECT_URI, "https://bad.example/cb"] }]) {
      travel(24 * 3600 + 5);
      publish(app.clientId, changes);
      expect(await afterSignIn(app)).toBe(403);
      await approveClient(instance, app.clientId);
      expect(await afterSignIn(app)).toBe(200);
    }
    vi.useRealTimers();
  });

  it("or accept only approved redirect URIs and hosts, whichever way an app comes", async () => {
    await changeSettings("acme", {
      registration: "approved",
      approvedRedirectUris: ["https://good.example/cb", "claude"],
    });
    const redirect_uris = ["https://good.example/cb", REDIRECT_URI];
    const good = publish("https://app.example/good.json", { redirect_uris });
    expect(await statusOf(good)).toBe(400);
    expect(await statusOf(AppClient.of(good.clientId, "https://good.example/cb"))).toBe(302);
    expect(await statusOf(publish("https://app.example/bad.json"))).toBe(400);
    expect(await statusOf(publish("https://claude.ai/oauth/mcp-oauth-client-metadata"))).toBe(302);
  });

  it("or only one way: metadata documents", async () => {
    await changeSettings("acme", { clientIdMetadataDocuments: false });
    expect(await statusOf(publish())).toBe(400);
    expect(await statusOf(await AppClient.registered())).toBe(302);
    await changeSettings("acme", { clientIdMetadataDocuments: undefined });
  });
});

describe("Administrators choose the scopes of static clients", () => {
  it("and one whose scopes nobody chose is not created", async () => {
    const secret = await issueAdminToken(instance, ["admin:apps"]);
    const create = (body: Record<string, unknown>) =>
      send("/rest/api/admin/v1/apps", {
        method: "POST",
        headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name: "Intranet", redirectUris: [REDIRECT_URI], ...body }),
      });
    const refused = await create({});
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("scopes")]);
    const created = await create({ scopes: ["SEARCH"] });
    expect(await created.json()).toMatchObject({ app: { scopes: ["SEARCH"] } });
  });
});

describe("a registration with scopes of other servers", () => {
  it.each(["openid email profile", "openid", "mcp:tools", "claudeai", "read write", "offline_access"])(
    "does not bind the app that registers with %j to nothing: it may ask for what the resource lists",
    async (scope) => {
      expect(await scopesOf({ scope })).toEqual(await scopesOf({}));
      expect(await errorOf(await AppClient.registered({ scope }), "SEARCH CHAT DOCUMENTS")).toBeNull();
    },
  );

  it("keeps an app that names a scope of this service to the scopes that it names", async () => {
    expect(await scopesOf({ scope: "mcp:tools SEARCH profile" })).toEqual(["SEARCH"]);
    expect(await errorOf(await AppClient.registered({ scope: "mcp:tools SEARCH" }), "CHAT")).toBe("invalid_scope");
  });
});

describe("the address of an app's keys", () => {
  it.each([
    "https://10.0.0.1/jwks.json",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/jwks.json",
    "https://[fd00::1]/jwks.json",
    "https://keys.corp.internal/jwks.json",
    "https://metadata.google.internal./jwks.json",
  ])("is refused at registration if it is private, as a document's is: %s", async (jwks_uri) => {
    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "private_key_jwt" };
    await expectOAuthError(await register({ ...metadata, jwks_uri }), 400, "invalid_client_metadata");
    expect((await register({ ...metadata, jwks_uri: "https://app.example/jwks.json" })).status).toBe(201);
  });
});
