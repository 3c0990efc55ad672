import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import ignore, { type Ignore } from "ignore";
import { Parser } from "htmlparser2";
import robotsParser, { type Robot } from "robots-parser";
import { EXIT, Failure, reasonOf } from "../failure.ts";
import { headOf, type PageHead } from "../formats/html.ts";
import { secondsOf } from "../formats/extracted.ts";
import type { Item, Skipped, Source } from "../source.ts";
import { endingOf, isRead } from "./formats.ts";
import { get, isPrivateHost, type Page, USER_AGENT } from "./http-get.ts";

export interface WebsiteOptions {
  readonly bytesMax: number;
  readonly pagesMax: number;
  readonly delayMilliseconds: number;
  readonly exclude: readonly string[];
}

/** Longer addresses are made by a loop of links, and so are those that repeat a folder. */
const ADDRESS_CHARACTERS_MAX = 500;
const REPEATED_FOLDER = /(\/[^/]+)\1\1/;

/** The addresses that wait, for each page that may be read. A site with a million links has more. */
const KNOWN_FOR_EACH_PAGE = 20;

const SITEMAPS_MAX = 100;
const REDIRECTS_MAX = 5;
const ATTEMPTS = 3;
const PAUSE_SECONDS_MAX = 60;

/** Says where somebody came from, and not what a page shows. */
const TRACKING = /^(?:utm_\w+|gclid|fbclid|mc_cid|mc_eid)$/;

/** The pages of a website below an address, or those of its sitemap. Only the start's own host is asked. */
export class WebsiteSource implements Source {
  readonly #start: URL;
  readonly #options: WebsiteOptions;
  readonly #allowsPrivate: boolean;
  readonly #ignored: Ignore;
  #robots: Robot | undefined;
  #isComplete = true;

  private constructor(start: URL, options: WebsiteOptions, allowsPrivate: boolean) {
    this.#start = start;
    this.#options = options;
    this.#allowsPrivate = allowsPrivate;
    this.#ignored = ignore().add([...options.exclude]);
  }

  /** @throws {Failure} if its host has no address */
  static async open(start: string, options: WebsiteOptions): Promise<WebsiteSource> {
    const url = URL.parse(start);
    if (!url) throw new Failure(`${start} is not an address.`, EXIT.refused);
    const allowsPrivate = await isPrivateHost(url.hostname).catch((error: unknown) => {
      throw new Failure(`${url.hostname} can't be found: ${reasonOf(error)}`, EXIT.refused);
    });
    return new WebsiteSource(cleaned(url), options, allowsPrivate);
  }

  /** Only what the person who pushes says decides who may see pages, not what a website says. */
  async beside(): Promise<undefined> {}

  isComplete(): boolean {
    return this.#isComplete;
  }

  async close(): Promise<void> {}

  async *items(skip: (skipped: Skipped) => void): AsyncGenerator<Item> {
    const { pagesMax } = this.#options;
    this.#isComplete = true;
    this.#robots = await this.#readRobots();
    const isSitemap = /\.xml(\.gz)?$/.test(this.#start.pathname);
    const waiting = isSitemap ? await this.#readSitemaps() : new Map([[this.#start.href, undefined]]);
    if (waiting.size > pagesMax) this.#stop(skip, `more than ${pagesMax} pages (--max-pages)`);
    const seen = new Set(waiting.keys());
    const given = new Set<string>();
    let pages = 0;
    // Addresses are added at the end while it runs.
    for (const [href, updatedAt] of waiting) {
      waiting.delete(href);
      if ((pages += 1) > pagesMax) {
        this.#stop(skip, `more than ${pagesMax} pages (--max-pages)`);
        break;
      }
      const asked = new URL(href);
      const found = await this.#page(asked, skip);
      if (!found) continue;
      const { url, page } = found;
      const isHtml = /html/.test(page.type);
      let head: PageHead = { meta: {}, links: [], depth: 0 };
      try {
        if (isHtml) head = headOf(new TextDecoder().decode(page.bytes));
      } catch (error) {
        this.#isComplete = false;
        skip({ path: pathOf(url), reason: reasonOf(error), isFailure: true });
        continue;
      }
      const robots = `${page.robots},${head.meta["robots"] ?? ""}`;
      const base = this.#resolve(head.base ?? "", url) ?? url;
      const links = isSitemap || /nofollow|none/i.test(robots) ? [] : head.links;
      for (const link of links) {
        const next = this.#resolve(link, base);
        if (!next || seen.has(next.href) || !this.#isWanted(next)) continue;
        if (seen.size >= pagesMax * KNOWN_FOR_EACH_PAGE) {
          this.#stop(skip, `more than ${pagesMax * KNOWN_FOR_EACH_PAGE} links`);
          break;
        }
        seen.add(next.href);
        waiting.set(next.href, undefined);
      }
      const canonical = this.#resolve(head.canonical ?? "", base);
      const own = canonical && head.canonical !== undefined && this.#isWanted(canonical) ? canonical : url;
      if (given.has(own.href)) continue;
      given.add(own.href);
      const format = isHtml ? "html" : formatOf(url, page.type);
      if (/noindex|none/i.test(robots))
        skip({ path: pathOf(own), reason: "the site asks not to index it", isFailure: false });
      else if (!isRead(format))
        skip({ path: pathOf(own), reason: `${page.type || "no type"} is not read`, isFailure: false });
      else {
        yield {
          path: pathOf(own),
          format,
          url: own.href,
          ...(updatedAt !== undefined && { updatedAt }),
          read: () => Promise.resolve(page.bytes),
        };
      }
    }
  }

  #stop(skip: (skipped: Skipped) => void, reason: string): void {
    if (this.#isComplete) skip({ path: this.#start.href, reason, isFailure: true });
    this.#isComplete = false;
  }

  /** Gets a page, and follows redirects within the website. */
  async #page(asked: URL, skip: (skipped: Skipped) => void): Promise<{ url: URL; page: Page } | undefined> {
    const left = (reason: string, isFailure: boolean) => {
      // What a page links to is unknown then, so nothing can be said to be gone.
      if (isFailure) this.#isComplete = false;
      skip({ path: pathOf(asked), reason, isFailure });
      return undefined;
    };
    let url = asked;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
      if (this.#robots?.isDisallowed(url.href, USER_AGENT) === true) return left("robots.txt excludes it", false);
      let page: Page;
      try {
        page = await this.#ask(url);
      } catch (error) {
        return left(reasonOf(error), true);
      }
      const { status, location } = page;
      if (status >= 300 && status < 400 && location !== undefined) {
        const next = this.#resolve(location, url);
        const isStart = asked.href === this.#start.href;
        if (!next || !this.#isWanted(next)) {
          const elsewhere = URL.parse(location, url.href)?.href ?? location;
          if (isStart) throw new Failure(`${asked.href} leads to ${elsewhere}: start there.`, EXIT.refused);
          return left("leads to another place", false);
        }
        url = next;
      } else if (status === 200) return { url, page };
      else if (asked.href === this.#start.href) {
        throw new Failure(`${asked.href} answered ${status}.`, EXIT.refused);
      } else return left(`answered ${status}`, status !== 404 && status !== 410);
    }
    return left("leads in a circle", false);
  }

  /** Sends one request at a time, with a pause before it. */
  async #ask(url: URL): Promise<Page> {
    const { bytesMax, delayMilliseconds } = this.#options;
    const asksFor = Math.min(this.#robots?.getCrawlDelay(USER_AGENT) ?? 0, PAUSE_SECONDS_MAX);
    for (let attempt = 1; ; attempt += 1) {
      await delay(Math.max(delayMilliseconds, asksFor * 1000));
      const page = await get(url, { bytesMax, allowsPrivate: this.#allowsPrivate });
      if ((page.status !== 429 && page.status !== 503) || attempt === ATTEMPTS) return page;
      await delay(Math.min(page.retryAfterSeconds, PAUSE_SECONDS_MAX) * 1000);
    }
  }

  /** RFC 9309: everything is allowed if there is no such file, and nothing if the site can't say. */
  async #readRobots(): Promise<Robot> {
    const url = new URL("/robots.txt", this.#start);
    const page = await this.#ask(url).catch((error: unknown) => {
      throw new Failure(`${this.#start.host} can't be reached: ${reasonOf(error)}`, EXIT.refused);
    });
    if (page.status >= 500) throw new Failure(`${url.href} answered ${page.status}: try again later.`, EXIT.refused);
    const text = page.status === 200 ? new TextDecoder().decode(page.bytes.subarray(0, 500_000)) : "";
    return robotsParser(url.href, text);
  }

  /** Returns the addresses in a sitemap, and in those that it lists, with the time of their last change. */
  async #readSitemaps(): Promise<Map<string, number | undefined>> {
    const pages = new Map<string, number | undefined>();
    const sitemaps = new Set([this.#start.href]);
    let read = 0;
    for (const href of sitemaps) {
      if ((read += 1) > SITEMAPS_MAX) throw new Failure(`more than ${SITEMAPS_MAX} sitemaps`, EXIT.refused);
      const { status, bytes } = await this.#ask(new URL(href)).catch((error: unknown) => {
        throw new Failure(`The sitemap ${href} can't be read: ${reasonOf(error)}`, EXIT.refused);
      });
      if (status !== 200) throw new Failure(`The sitemap ${href} answered ${status}.`, EXIT.refused);
      const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
      const xml = isPacked ? gunzipSync(bytes, { maxOutputLength: this.#options.bytesMax }) : bytes;
      for (const { location, changed, isSitemap } of entriesOf(new TextDecoder().decode(xml))) {
        const url = this.#resolve(location, this.#start);
        if (isSitemap && url) sitemaps.add(url.href);
        else if (url && this.#isWanted(url) && pages.size <= this.#options.pagesMax)
          pages.set(url.href, secondsOf(changed));
      }
    }
    return pages;
  }

  /** Returns an address of the same host; `undefined`: it is of another one, or none. */
  #resolve(link: string, base: URL): URL | undefined {
    const url = URL.parse(link, base.href);
    return url?.origin === this.#start.origin ? cleaned(url) : undefined;
  }

  #isWanted(url: URL): boolean {
    const { pathname, href } = url;
    const folder = this.#start.pathname.replace(/[^/]*$/, "");
    if (!pathname.startsWith(folder) || href.length > ADDRESS_CHARACTERS_MAX || REPEATED_FOLDER.test(pathname))
      return false;
    const ending = endingOf(pathname);
    const mayBePage =
      ending === "" ||
      isRead(ending) ||
      !/^(?:css|js|json|xml|png|jpe?g|gif|svg|webp|ico|woff2?|mp4|zip|gz)$/.test(ending);
    return mayBePage && !this.#ignored.ignores(pathOf(url));
  }
}

function cleaned(url: URL): URL {
  const clean = new URL(url);
  clean.hash = "";
  for (const name of Array.from(clean.searchParams.keys())) if (TRACKING.test(name)) clean.searchParams.delete(name);
  return clean;
}

/** Names a page by its path and query. */
function pathOf({ pathname, search }: URL): string {
  const path = `${pathname}${search}`.replace(/^\/+/, "");
  return path === "" ? "index" : path;
}

function formatOf({ pathname }: URL, type: string): string {
  if (type.startsWith("application/pdf")) return "pdf";
  if (type.startsWith("text/markdown")) return "md";
  const ending = endingOf(pathname);
  return ending === "" && type.startsWith("text/plain") ? "txt" : ending;
}

interface SitemapEntry {
  readonly location: string;
  readonly changed: string;
  readonly isSitemap: boolean;
}

function entriesOf(xml: string): SitemapEntry[] {
  const entries: SitemapEntry[] = [];
  let [name, location, changed] = ["", "", ""];
  const parser = new Parser(
    {
      onopentag(tag) {
        name = tag;
      },
      ontext(text) {
        if (name === "loc") location += text;
        if (name === "lastmod") changed += text;
      },
      onclosetag(tag) {
        name = "";
        if (tag !== "url" && tag !== "sitemap") return;
        entries.push({ location: location.trim(), changed: changed.trim(), isSitemap: tag === "sitemap" });
        [location, changed] = ["", ""];
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return entries;
}
