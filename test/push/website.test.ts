import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { Item, Skipped } from "../../clients/push/source.ts";
import { get, isPrivateAddress } from "../../clients/push/sources/http-get.ts";
import { WebsiteSource } from "../../clients/push/sources/website.ts";

type Answer =
  | string
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Buffer };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Starts a website. @returns its origin, and the paths that were asked for */
async function website(answers: (path: string) => Answer | undefined): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  server = createServer((request, response) => {
    const path = request.url ?? "/";
    asked.push(path);
    const answer = answers(path) ?? { status: 404 };
    const { status = 200, headers = {}, body = "" } = typeof answer === "string" ? { body: answer } : answer;
    response.writeHead(status, { "Content-Type": "text/html", ...headers }).end(body);
  });
  await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function crawl(start: string, more: { pagesMax?: number; exclude?: string[] } = {}) {
  const source = await WebsiteSource.open(start, {
    bytesMax: 1_000_000,
    pagesMax: 100,
    delayMilliseconds: 0,
    exclude: [],
    ...more,
  });
  const items: Item[] = [];
  const skipped: Skipped[] = [];
  for await (const item of source.items((one) => skipped.push(one))) items.push(item);
  return { paths: items.map(({ path }) => path), items, skipped, isComplete: source.isComplete() };
}

const linking = (...links: readonly string[]) => links.map((link) => `<a href="${link}">x</a>`).join("");

describe("pushing a website", () => {
  it("follows links below the start, each page once, and asks nothing else", async () => {
    const pages: Readonly<Record<string, string>> = {
      "/guide/": linking(
        "a",
        "b?utm_source=x#part",
        "/other",
        "https://elsewhere.example/",
        "style.css",
        "mailto:x@y.example",
      ),
      "/guide/a": linking("b", "./", "b#other"),
      "/guide/b": '<link rel="canonical" href="/guide/bee">',
      "/guide/bee": "never asked, because nothing links to it",
    };
    const { origin, asked } = await website((path) => pages[path]);
    const { paths, items, isComplete } = await crawl(`${origin}/guide/`);
    expect(paths).toEqual(["guide/", "guide/a", "guide/bee"]);
    expect(items[2]?.url).toBe(`${origin}/guide/bee`);
    expect(asked).toEqual(["/robots.txt", "/guide/", "/guide/a", "/guide/b"]);
    expect(isComplete).toBe(true);
  });

  it("respects robots.txt, noindex, nofollow and --exclude", async () => {
    const pages: Readonly<Record<string, string>> = {
      "/robots.txt": "User-agent: *\nDisallow: /private/\n",
      "/": linking("/private/x", "/quiet", "/blog/x") + '<a href="/unlinked" rel="nofollow">x</a>',
      "/quiet": `<meta name="robots" content="noindex, nofollow">${linking("/behind")}`,
    };
    const { origin, asked } = await website((path) => pages[path]);
    const { paths, skipped } = await crawl(`${origin}/`, { exclude: ["blog/"] });
    expect(paths).toEqual(["index"]);
    expect(skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      "private/x: robots.txt excludes it",
      "quiet: the site asks not to index it",
    ]);
    expect(asked).toEqual(["/robots.txt", "/", "/quiet"]);
  });

  it("reads sitemaps, packed ones too, and the sitemaps that they list", async () => {
    const entries = (...paths: readonly string[]) =>
      `<urlset>${paths.map((path) => `<url><loc>${path}</loc><lastmod>2026-01-02</lastmod></url>`).join("")}</urlset>`;
    const { origin } = await website((path) => {
      if (path === "/sitemap.xml") return `<sitemapindex><sitemap><loc>/one.xml.gz</loc></sitemap></sitemapindex>`;
      if (path === "/one.xml.gz") return { body: gzipSync(entries("/a", "/b", "https://elsewhere.example/c")) };
      return path === "/a" ? linking("/not-followed") : "text";
    });
    const { paths, items } = await crawl(`${origin}/sitemap.xml`);
    expect(paths).toEqual(["a", "b"]);
    expect(items[0]?.updatedAt).toBe(1_767_312_000);
  });

  it("stops at its limits: a million links, loops, addresses that grow; nothing is called gone then", async () => {
    const { origin, asked } = await website((path) => {
      if (path === "/robots.txt") return "";
      const number = Number(path.slice(1)) || 0;
      return linking(...Array.from({ length: 3000 }, (_, at) => `/${number * 3000 + at + 1}`), "/", `${path}/x/x/x`);
    });
    const { paths, skipped, isComplete } = await crawl(`${origin}/`, { pagesMax: 20 });
    expect(paths).toHaveLength(20);
    expect(asked).toHaveLength(21);
    expect(skipped.map(({ reason }) => reason)).toEqual(["more than 400 links"]);
    expect(isComplete).toBe(false);
  });

  it("follows redirects within the site only; a circle of them, a broken page and a missing one end nothing", async () => {
    const to = (location: string) => ({ status: 302, headers: { Location: location } });
    const pages: Readonly<Record<string, Answer>> = {
      "/": linking("/moved", "/away", "/round", "/broken", "/missing"),
      "/moved": to("/new"),
      "/new": "text",
      "/away": to("http://169.254.169.254/latest"),
      "/round": to("/round"),
      "/broken": { status: 500 },
    };
    const { origin, asked } = await website((path) => pages[path]);
    const { paths, skipped, isComplete } = await crawl(`${origin}/`);
    expect(paths).toEqual(["index", "new"]);
    expect(skipped).toEqual([
      { path: "away", reason: "leads to another place", isFailure: false },
      { path: "round", reason: "leads in a circle", isFailure: false },
      { path: "broken", reason: "answered 500", isFailure: true },
      { path: "missing", reason: "answered 404", isFailure: false },
    ]);
    expect(isComplete).toBe(false);
    expect(asked.filter((path) => path === "/round")).toHaveLength(6);
  });

  it("reports a page that is nested too deeply, and reads the others", async () => {
    const pages: Readonly<Record<string, Answer>> = {
      "/": linking("/deep", "/b"),
      "/deep": "<div>".repeat(30_001),
      "/b": "b",
    };
    const { origin } = await website((path) => pages[path]);
    const { paths, skipped, isComplete } = await crawl(`${origin}/`);
    expect(paths).toEqual(["index", "b"]);
    expect(skipped).toEqual([{ path: "deep", reason: "elements are nested more than 30000 deep", isFailure: true }]);
    expect(isComplete).toBe(false);
  });

  it("reads no page that is too large, also when it is packed", async () => {
    const { origin } = await website((path) => {
      if (path === "/") return linking("/large", "/packed");
      if (path === "/large") return "x".repeat(1_000_001);
      if (path === "/packed")
        return { headers: { "Content-Encoding": "gzip" }, body: gzipSync(Buffer.alloc(5_000_000)) };
      return undefined;
    });
    const { paths, skipped } = await crawl(`${origin}/`);
    expect(paths).toEqual(["index"]);
    expect(skipped.map(({ path, isFailure }) => [path, isFailure])).toEqual([
      ["large", true],
      ["packed", true],
    ]);
  });
});

describe("addresses of this network", () => {
  it("are not asked unless the start is one: by number or by name", async () => {
    const options = { bytesMax: 1000, allowsPrivate: false };
    for (const address of [
      "http://127.0.0.1:1/",
      "http://[::1]:1/",
      "http://localhost:1/",
      "http://[::ffff:10.0.0.1]:1/",
      "http://169.254.169.254/",
    ]) {
      await expect(get(new URL(address), options)).rejects.toThrow("a private address");
    }
    await expect(get(new URL("http://127.0.0.1:1/"), { ...options, allowsPrivate: true })).rejects.toThrow(
      "ECONNREFUSED",
    );
  });

  it.each([
    "10.1.2.3",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "fd00::1",
    "fe80::1",
    "::ffff:127.0.0.1",
  ])("include %s", (address) => expect(isPrivateAddress(address)).toBe(true));
});
