import { beforeAll, describe, expect, it } from "vitest";
import { ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { routes } from "../support/routes.ts";
import { makeInstance, ORIGIN } from "../support/world.ts";

/** Pages that only their reader may see, or that begin a sign-in. */
const PERSONAL = /^\/(admin|account|search|documents|sign-in|oauth\/(authorize|callback|consent))/;

const paths = routes()
  .filter(({ method, path }) => method === "GET" && PERSONAL.test(path))
  .map(({ path }) => path.replaceAll(/:\w+/g, "nobody"));

describe("every personal page that the router has", () => {
  const readers: [string, ConsoleBrowser][] = [["nobody", new ConsoleBrowser(ORIGIN)]];

  beforeAll(async () => {
    const instance = await makeInstance();
    readers.push(["an administrator", await openConsole(instance)], ["a person", await ConsoleBrowser.signIn("ben")]);
  });

  it.each(paths)(
    "%s offers to sign out, and can't be cached, framed, sniffed or read by other origins",
    async (path) => {
      for (const [reader, browser] of readers) {
        const response = await browser.get(path, { Origin: "https://evil.example" });
        const { headers, status } = response;
        const isPage = status === 200 && /html/.test(headers.get("Content-Type") ?? "");
        if (isPage && path !== "/sign-in") expect(await response.text()).toContain('action="/sign-out"');
        const shown = {
          reader,
          cache: headers.get("Cache-Control"),
          frames: /frame-ancestors 'none'/.test(headers.get("Content-Security-Policy") ?? ""),
          script: /script-src[^;]*('unsafe|https?:|\*)/.test(headers.get("Content-Security-Policy") ?? ""),
          sniffing: headers.get("X-Content-Type-Options"),
          referrer: headers.get("Referrer-Policy"),
          openTo: headers.get("Access-Control-Allow-Origin"),
        };
        expect(shown).toEqual({
          reader,
          cache: "no-store",
          frames: true,
          script: false,
          sniffing: "nosniff",
          referrer: "no-referrer",
          openTo: null,
        });
      }
    },
  );
});
