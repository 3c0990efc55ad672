import { beforeAll, describe, expect, it } from "vitest";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { expectPage } from "../support/oauth-answers.ts";
import { changeSettings, makeInstance, send } from "../support/world.ts";

/** What a browser sends when somebody opens a URL. */
const OPENED = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

const WAYS = ["/search", "/account", "/", "/admin"];

const open = (path: string, headers: Record<string, string> = {}) => send(path, { headers: { ...OPENED, ...headers } });

/** Returns the target of the page's button, and those of its links. */
function linksOn(html: string): string[] {
  const [button = ""] = /<a class="button primary" href="[^"]+">/.exec(html) ?? [];
  const [, list = ""] = /<ul class="links">(.*?)<\/ul>/s.exec(html) ?? [];
  return [...(button + list).matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href);
}

describe("a mistyped address", () => {
  let ada: ConsoleBrowser;

  beforeAll(async () => {
    const instance = await makeInstance();
    ada = await openConsole(instance);
  });

  it.each(["/serch", "/oauth/authorise", "/search/old", "/acount", "/sse"])(
    "shows a person the pages that exist: %s",
    async (path) => {
      const response = await open(path);
      const html = await expectPage(response, path === "/sse" ? 405 : 404);
      expect(linksOn(html)).toEqual(WAYS);
      expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(response.headers.get("X-Frame-Options")).toBe("DENY");
      expect(response.headers.get("Cache-Control")).toBe("no-store");
    },
  );

  it("gets a page in the reader’s language", async () => {
    expect(await expectPage(await open("/serch"), 404)).toContain("<h1>Page not found</h1>");
    const german = await expectPage(await open("/serch", { "Accept-Language": "de" }), 404);
    expect(german).toContain("<h1>Seite nicht gefunden</h1>");
    expect(german).toContain("Unternehmenssuche von");
  });

  it("gets a page that doesn't show who is signed in, with links to the other pages, in the console too", async () => {
    for (const path of ["/serch", "/admin/nothing", "/admin/clients/app?id=nobody"]) {
      const response = await ada.get(path, OPENED);
      const html = await expectPage(response, 404);
      expect(linksOn(html)).toEqual(WAYS);
      expect(html).not.toMatch(/Ada|ada@/);
    }
  });

  it("of the endpoint for assistants gets a page about what it is for", async () => {
    const html = await expectPage(await open("/mcp"), 405);
    expect(html).toContain("add it there as an MCP server");
    expect(html).not.toContain("go back to your app");
    expect(linksOn(html)).toEqual(WAYS);
  });

  it("differs from a refused form of our own pages, which leads back, and from a refused app, which leads nowhere", async () => {
    const headers = { ...OPENED, "Content-Type": "application/x-www-form-urlencoded", Origin: "https://evil.example" };
    const refused = await send("/sign-in", { method: "POST", headers, body: "to=/account" });
    expect(linksOn(await expectPage(refused, 400))).toEqual(["/"]);
    expect(linksOn(await expectPage(await open("/oauth/authorize?client_id=nobody"), 400))).toEqual([]);
  });

  it("of no instance gets a page without links", async () => {
    const html = await expectPage(await open("https://nobody-be.example.com/search"), 404);
    expect(html).toContain("There is no instance at this host name");
    expect(linksOn(html)).toEqual([]);
  });

  it.each([
    ["/serch", { Accept: "application/json" }],
    ["/serch", { Accept: "*/*" }],
    ["/rest/api/v1/nothing", OPENED],
    ["/rest/api/admin/v1/nothing", OPENED],
    ["/api/index/v1/nothing", OPENED],
    ["/.well-known/nothing", OPENED],
    ["/scim/v2/nothing", OPENED],
  ])("gets JSON for programs: %s, %j", async (path, headers) => {
    const response = await send(path, { headers });
    expect(response.headers.get("Content-Type")).toMatch(/json/);
    expect([401, 404]).toContain(response.status);
  });

  it("gets JSON for a POST", async () => {
    const response = await send("/serch", { method: "POST", headers: OPENED });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([
      404,
      expect.stringMatching(/^application\/json/),
    ]);
  });
});

describe("an app that can't connect", () => {
  const start = (client: string) => open(`/oauth/authorize?${new URLSearchParams({ client_id: client }).toString()}`);

  beforeAll(() => changeSettings("acme", { registration: "open" }));

  it("leads to its administrator if only an administrator can change that", async () => {
    const html = await expectPage(await start("nobody"), 400);
    expect(html).toContain("connect again");
    await changeSettings("acme", { registration: "off" });
    const kept = await expectPage(await start("https://app.example/client.json"), 403);
    expect(kept).toContain("Connecting again won’t help until your administrator has changed this.");
    expect(kept).not.toContain("go back to your app");
  });

  it("sees the organisation's name, never the product's", async () => {
    for (const path of ["/", "/search", "/account", "/signed-out", "/nowhere", "/oauth/authorize?client_id=nobody"]) {
      expect(await (await open(path)).text()).not.toContain("Gatehouse");
    }
  });
});
