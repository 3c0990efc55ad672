import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, CHALLENGE, search, VERIFIER } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { DocumentHost } from "../support/document-host.ts";
import { expectPage, expectTokens } from "../support/oauth-answers.ts";
import { exhaust } from "../support/rate-limits.ts";
import { changeSettings, disableClient, makeInstance, send, travel, requireClient } from "../support/world.ts";

const REDIRECT = "https://app.example/cb";

const HOUR = 3600;

describe("support for client ID metadata documents (OAuth Client ID Metadata Document)", () => {
  let instance: InstanceRecord;
  let host: DocumentHost;
  let documents = 0;
  let callers = 0;

  beforeAll(async () => {
    instance = await makeInstance("acme", { dynamicScopes: ["SEARCH", "CHAT", "offline_access"] });
  });
  beforeEach(() => {
    host = new DocumentHost();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await changeSettings("acme", { clientIdMetadataDocuments: true });
  });

  /** Returns the URL of a document that nobody has requested yet. */
  function freshUrl(): string {
    documents += 1;
    return `https://app.example/clients/${documents}.json`;
  }

  function documentOf(url: string, changes: Readonly<Record<string, unknown>> = {}) {
    return { client_id: url, client_name: "Described app", redirect_uris: [REDIRECT], ...changes };
  }

  /** Publishes a document and returns its app. */
  function publish(changes: Readonly<Record<string, unknown>> = {}, headers: Record<string, string> = {}): AppClient {
    const url = freshUrl();
    host.publish(url, documentOf(url, changes), headers);
    return AppClient.of(url, REDIRECT);
  }

  /** Sends an authorization request, by default from a new IP address, because fetches are limited per address. */
  function authorize(clientId: string, redirectUri = REDIRECT, address?: string): Promise<Response> {
    callers += 1;
    return send(AppClient.of(clientId, redirectUri).authorizeUrl(CHALLENGE), {
      headers: { "CF-Connecting-IP": address ?? `198.51.100.${callers}` },
    });
  }

  it("limits how many documents one IP address makes it fetch, while cached documents still work", async () => {
    const known = publish();
    expect((await authorize(known.clientId, REDIRECT, "203.0.113.9")).status).toBe(302);
    const { before, after } = await exhaust("RATE_LIMIT_60", () => authorize(freshUrl(), REDIRECT, "203.0.113.9"));
    expect([before.status, after.status]).toEqual([400, 429]);
    expect((await authorize(known.clientId, REDIRECT, "203.0.113.9")).status).toBe(302);
  });

  it("shows on the consent page the hosts of the document and of the redirect URI, not only the app's name", async () => {
    const url = `https://publisher.example/clients/${Date.now()}.json`;
    const redirect = "https://elsewhere.example/cb";
    host.publish(url, { client_id: url, client_name: "Claude", redirect_uris: [redirect] });
    const app = AppClient.of(url, redirect);
    const { html } = await app.toConsent(app.browser(), "ben", app.authorizeUrl(CHALLENGE));
    expect(html).toMatch(/<dt>Described by<\/dt><dd><bdi>publisher\.example<\/bdi>/);
    expect(html).toMatch(/<dt>Your response is sent to<\/dt><dd><bdi>elsewhere\.example<\/bdi>/);
  });

  it("lets an app get tokens after sign-in and consent, search and refresh, with one fetch of its document", async () => {
    const app = publish();
    const browser = app.browser();
    const page = await app.toConsent(browser, "ben", app.authorizeUrl(CHALLENGE));
    for (const text of ["Described app", "Not verified", "app.example"]) expect(page.html).toContain(text);
    const answer = await browser.press(page, { name: "decision", value: "allow" });
    if (!("leftFor" in answer)) throw new Error(answer.html);
    const code = new URL(answer.leftFor).searchParams.get("code") ?? "";
    const tokens = await expectTokens(await app.redeem({ code, verifier: VERIFIER }));
    expect(tokens.scope).toBe("SEARCH CHAT offline_access");
    expect((await search(tokens.access_token)).status).toBe(200);
    await expectTokens(await app.refresh(tokens.refresh_token));
    expect(host.asked).toEqual([app.clientId]);
  });

  it("gives a described app only scopes that registered apps may have", async () => {
    const app = publish({ scope: "SEARCH DOCUMENTS" });
    expect((await app.tokens()).scope).toBe("SEARCH");
  });

  it.each(["openid profile email", "mcp:*"])("ignores scopes of other servers in a document: %s", async (scope) => {
    expect((await publish({ scope }).tokens()).scope).toBe("SEARCH CHAT offline_access");
  });

  it.each<[string, (url: string) => Readonly<Record<string, unknown>> | string]>([
    ["another client_id", () => ({ client_id: "https://app.example/clients/other.json" })],
    ["no client_id", () => ({ client_id: undefined })],
    ["a client_id that differs in a slash", (url) => ({ client_id: `${url}/` })],
    ["a client_id in other case", (url) => ({ client_id: url.replace("app", "APP") })],
    ["a secret", () => ({ client_secret: "secret" })],
    ["an empty secret", () => ({ client_secret: "" })],
    ["authentication by a secret", () => ({ token_endpoint_auth_method: "client_secret_post" })],
    ["no redirect URIs", () => ({ redirect_uris: undefined })],
    ["a redirect URI that nobody may have", () => ({ redirect_uris: [REDIRECT, "javascript:alert(1)"] })],
    ["a scope that it cannot have", () => ({ scope: "DOCUMENTS" })],
    ["more than 5 KB", () => ({ padding: "x".repeat(5 * 1024) })],
    ["more than 1,000 parts", () => ({ padding: Array.from({ length: 1000 }, () => []) })],
    ["no JSON", () => "client_id=x"],
    ["null", () => "null"],
    ["a list", () => "[]"],
  ])("refuses a document with %s", async (_, make) => {
    const url = freshUrl();
    const made = make(url);
    const body = typeof made === "string" ? made : JSON.stringify(documentOf(url, made));
    host.answer(url, () => new Response(body, { headers: { "Content-Type": "application/json" } }));
    await expectPage(await authorize(url), 400);
    expect(host.asked).toEqual([url]);
  });

  it.each<[string, () => Response]>([
    ["404", () => new Response("{}", { status: 404 })],
    ["500", () => new Response("{}", { status: 500 })],
    ["201", () => new Response("{}", { status: 201 })],
    [
      "a redirect",
      () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.example/c.json" } }),
    ],
    ["a lasting redirect", () => new Response(null, { status: 308, headers: { Location: "http://127.0.0.1/" } })],
  ])("refuses a document whose host responds with %s, and follows no redirect", async (_, response) => {
    const url = freshUrl();
    host.answer(url, response);
    await expectPage(await authorize(url), 400);
    expect(host.asked).toEqual([url]);
  });

  it.each([
    ["text/html", 400],
    ["text/plain", 400],
    ["application/javascript", 400],
    ["application/json-seq", 400],
    ["", 400],
    ["application/json; charset=utf-8", 302],
    ["application/oauth-client-id-metadata+json", 302],
  ])("responds to a document of the type %j with %d", async (type, status) => {
    const url = freshUrl();
    host.answer(url, () => {
      const response = new Response(JSON.stringify(documentOf(url)));
      response.headers.set("Content-Type", type);
      return response;
    });
    expect((await authorize(url)).status).toBe(status);
  });

  it.each([
    "https://app.example",
    "https://app.example/",
    "https://app.example/c.json#x",
    "https://app.example/c.json#",
    "https://user@app.example/c.json",
    "https://user:secret@app.example/c.json",
    "https://app.example/a/../c.json",
    "https://app.example/./c.json",
    "https://app.example/a/%2e%2e/c.json",
    "https://app.example/realm|portal",
    "https://app.example/a%2Fc.json",
    "https://app.example/a\\c.json",
    "https://APP.example/c.json",
    "https://app.example:443/c.json",
    "https://app.example/c d.json",
    `https://app.example/${"x".repeat(500)}`,
    "https:app.example/c.json",
    "HTTPS://app.example/c.json",
    "http://app.example/c.json",
    "http://localhost/c.json",
    "ftp://app.example/c.json",
    "https://localhost/c.json",
    "https://acme.localhost/c.json",
    "https://127.0.0.1/c.json",
    "https://2130706433/c.json",
    "https://0x7f.1/c.json",
    "https://[::1]/c.json",
    "https://[fd00::1]/c.json",
    "https://10.0.0.1/c.json",
    "https://172.16.0.1/c.json",
    "https://192.168.0.1/c.json",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/c.json",
    "https://0.0.0.0/c.json",
    "https://metadata.google.internal/c.json",
    "https://printer.local/c.json",
  ])("refuses the client_id %s without fetching anything", async (clientId) => {
    await expectPage(await authorize(clientId), 400);
    expect(host.asked).toEqual([]);
  });

  it("accepts only redirect URIs that the document lists", async () => {
    const app = publish();
    await expectPage(await authorize(app.clientId, "https://app.example/other"), 400);
    await expectPage(await authorize(app.clientId, app.clientId), 400);
    expect((await authorize(app.clientId)).status).toBe(302);
  });

  it.each<[string | undefined, number]>([
    [undefined, 5 * 60],
    ["no-store", 5 * 60],
    ["max-age=1", 5 * 60],
    ["public, max-age=7200", 2 * HOUR],
    ["max-age=31536000", 24 * HOUR],
  ])("caches a document with Cache-Control %s for %d seconds", async (cacheControl, seconds) => {
    const app = publish({}, cacheControl === undefined ? {} : { "Cache-Control": cacheControl });
    expect((await authorize(app.clientId)).status).toBe(302);
    travel(seconds - 5);
    expect((await authorize(app.clientId)).status).toBe(302);
    expect(host.asked).toHaveLength(1);
    travel(10);
    expect((await authorize(app.clientId)).status).toBe(302);
    expect(host.asked).toHaveLength(2);
  });

  it("uses the changed document once the cached one is stale", async () => {
    const app = publish();
    expect((await authorize(app.clientId)).status).toBe(302);
    const moved = "https://app.example/moved";
    host.publish(app.clientId, documentOf(app.clientId, { redirect_uris: [moved] }));
    travel(5 * 60 + 5);
    await expectPage(await authorize(app.clientId), 400);
    expect((await authorize(app.clientId, moved)).status).toBe(302);
  });

  it("uses the last good document while its host is down, but not once the host responds with 404", async () => {
    const app = publish();
    expect((await authorize(app.clientId)).status).toBe(302);
    travel(HOUR);
    host.goDown(app.clientId);
    expect((await authorize(app.clientId)).status).toBe(302);
    expect(host.asked).toHaveLength(2);
    host.answer(app.clientId, () => new Response("gone", { status: 404 }));
    await expectPage(await authorize(app.clientId), 400);
  });

  it("responds with 400 if the host is down and no document is cached", async () => {
    const url = freshUrl();
    host.goDown(url);
    await expectPage(await authorize(url), 400);
  });

  it("is announced in the metadata, except while an administrator has it off, when nothing is fetched", async () => {
    const supported = async () => {
      const response = await send("/.well-known/oauth-authorization-server");
      return (await response.json<Record<string, unknown>>())["client_id_metadata_document_supported"];
    };
    expect(await supported()).toBe(true);
    await changeSettings("acme", { clientIdMetadataDocuments: false });
    expect(await supported()).toBe(false);
    await expectPage(await authorize(publish().clientId), 400);
    expect(host.asked).toEqual([]);
  });

  it("keeps an app disabled after an administrator disabled it, whatever its document says", async () => {
    const app = publish();
    const tokens = await app.tokens();
    expect((await search(tokens.access_token)).status).toBe(200);
    await disableClient(instance, app.clientId);
    const refused = await search(tokens.access_token);
    expect([refused.status, (await readRefusal(refused)).error]).toEqual([403, "client_not_enabled"]);
    await expectPage(await authorize(app.clientId), 400);
    travel(24 * HOUR + 5);
    host.publish(app.clientId, documentOf(app.clientId, { client_name: "Renamed" }));
    await expectPage(await authorize(app.clientId), 400);
    expect(await requireClient(instance, app.clientId)).toMatchObject({ kind: "document", isDisabled: true });
  });

  it("disables an app at one instance only, and accepts it at another one", async () => {
    await makeInstance("other");
    const app = publish();
    expect((await authorize(app.clientId)).status).toBe(302);
    await disableClient(instance, app.clientId);
    const elsewhere = app.authorizeUrl(CHALLENGE).replace("http://acme.", "http://other.");
    expect((await send(elsewhere)).status).toBe(302);
    await expectPage(await authorize(app.clientId), 400);
  });

  it.each(["https://localhost./c.json", "https://metadata.google.internal./c.json", "https://printer.local./c.json"])(
    "refuses the client_id %s without fetching anything, despite the dot after its host",
    async (clientId) => {
      await expectPage(await authorize(clientId), 400);
      expect(host.asked).toEqual([]);
    },
  );

  it("refuses an app that it accepted before, while an administrator has the feature off", async () => {
    const app = publish();
    expect((await authorize(app.clientId)).status).toBe(302);
    await changeSettings("acme", { clientIdMetadataDocuments: false });
    await expectPage(await authorize(app.clientId), 400);
  });

  it("uses the last good document while its host responds with 503", async () => {
    const app = publish();
    expect((await authorize(app.clientId)).status).toBe(302);
    travel(HOUR);
    host.answer(app.clientId, () => new Response("down", { status: 503 }));
    expect((await authorize(app.clientId)).status).toBe(302);
  });
});
