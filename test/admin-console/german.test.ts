import german from "../../public/messages/console.de.json";
import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, expect, it } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { issueToken } from "../support/service-tokens.ts";
import { makeInstance, makeStaticClient } from "../support/world.ts";

/** English texts that are no German ones, and too long to be part of a name. */
const ENGLISH = new Set(
  Object.entries(german.texts)
    .filter(([english, own]) => english !== own && english.length > 5 && !english.includes("{"))
    .map(([english]) => english),
);

let instance: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  instance = await makeInstance();
  ada = await openConsole(instance);
});

/** Returns what a page says: between its tags, and in attributes that people read. */
function textsOf(html: string): string[] {
  const inside = html.replaceAll(/<(code|pre|bdi|textarea)\b.*?<\/\1>/gs, "<code>").matchAll(/>([^<]+)</g);
  const attributes = html.matchAll(/ (?:aria-label|title|placeholder|data-heading|alt)="([^"]+)"/g);
  return [...inside, ...attributes].map(([, text = ""]) =>
    text.replaceAll("&#39;", "'").replaceAll("&amp;", "&").trim(),
  );
}

it("every page of the console is in German for who prefers it, and nothing on it is in English", async () => {
  const app = await AppClient.registered({ client_name: "Notebook" });
  await app.tokens("ben");
  await makeStaticClient(instance);
  await issueToken(instance);
  const english: string[] = [];
  const seen = new Set<string>();
  const waiting = ["/admin"];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    // Two lists of the same things have the same texts.
    const place = path.replace(/(search|sort|cursor|id|app|issuer|find|person|client)=[^&]*/g, "$1");
    if (seen.has(place) || /export/.test(path)) continue;
    seen.add(place);
    const html = await (await ada.send("GET", path, { "Accept-Language": "de" })).text();
    expect(html, path).toContain('<html lang="de"');
    english.push(
      ...textsOf(html)
        .filter((text) => ENGLISH.has(text))
        .map((text) => `${path}: ${text}`),
    );
    waiting.push(...[...html.matchAll(/href="(\/admin[^"#]*)"/g)].map(([, to = ""]) => to.replaceAll("&amp;", "&")));
  }
  expect(seen.size).toBeGreaterThan(50);
  expect(english).toEqual([]);
});
