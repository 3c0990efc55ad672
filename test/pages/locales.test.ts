import { ENGLISH_LOCALE } from "#messages/locale.ts";
import { localeOf } from "#pages/locales.ts";
import { expect, it } from "vitest";
import german from "../../public/messages/de.json";

it("a page is in English if its translation can’t be read, and the translation is read again the next time", async () => {
  const answers = [
    () => Promise.reject(new Error("no asset")),
    () => Promise.resolve(new Response("gone", { status: 404 })),
    () => Promise.resolve(new Response("<html>")),
    () => Promise.resolve(Response.json(german)),
  ];
  const assets = { fetch: () => answers.shift()?.() ?? Promise.reject(new Error("read twice")) };
  for (let failure = 0; failure < 3; failure += 1) expect(await localeOf("de", assets)).toBe(ENGLISH_LOCALE);
  for (let reading = 0; reading < 2; reading += 1) {
    expect((await localeOf("de", assets)).messages.help).toBe("Hilfe");
  }
});
