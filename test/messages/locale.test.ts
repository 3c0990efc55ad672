import { ENGLISH, type MessageKey } from "#messages/english.ts";
import { chooseLanguage, ENGLISH_LOCALE, LANGUAGES, partsOf, textOf, type Translation } from "#messages/locale.ts";
import { describe, expect, it } from "vitest";
import german from "../../public/messages/de.json";

/** A missing language does not compile. */
const TRANSLATIONS: Readonly<Record<Exclude<keyof typeof LANGUAGES, "en">, Translation>> = { de: german };

const namesIn = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).toSorted((one, other) => one.localeCompare(other));

describe.each(Object.entries(TRANSLATIONS))("the messages in %s", (_language, { messages, refusals }) => {
  it("are the same as in English, with the same values", () => {
    expect(Object.keys(messages)).toEqual(Object.keys(ENGLISH));
    for (const key of Object.keys(ENGLISH) as MessageKey[]) {
      expect({ key, names: namesIn(messages[key]) }).toEqual({ key, names: namesIn(ENGLISH[key]) });
      expect(messages[key].trim(), key).toBe(messages[key]);
    }
    expect(Object.values(refusals).filter((text) => !/^[^{}]+\.$/.test(text))).toEqual([]);
  });
});

describe("the language of a page (RFC 9110 §12.5.4, OpenID Connect Core §3.1.2.1)", () => {
  it.each([
    [null, null, "en"],
    [null, "de", "de"],
    [null, "DE-at", "de"],
    [null, "fr;q=0.9, de;q=0.3", "de"],
    [null, "en;q=0.2, de;q=0.8", "de"],
    [null, "de;q=0.2, en-GB;q=0.8", "en"],
    [null, "de;q=0, fr", "en"],
    [null, "*, de;q=0.5", "en"],
    [null, "fr, de ; q = 0.5", "de"],
    [null, "de;q=nan, ;;, =, \u0000, den", "en"],
    [null, "__proto__, constructor, toString", "en"],
    [null, `${"x,".repeat(600)}de`, "en"],
    ["de", "en", "de"],
    ["fr-CA de", "en", "de"],
    ["fr", "de", "de"],
    ["  ", "de", "de"],
    ["deutsch", null, "en"],
  ])("of an app that prefers %j, in a browser that prefers %j, is %s", (uiLocales, acceptLanguage, language) => {
    expect(chooseLanguage(uiLocales, acceptLanguage)).toBe(language);
  });
});

describe("a message", () => {
  it("has its values where the language places them, whatever they contain", () => {
    expect(textOf(ENGLISH_LOCALE, "consent_title", { app: "{app} $& <b>" })).toBe("Allow {app} $& <b>?");
    expect(partsOf(ENGLISH_LOCALE, "consent_heading", { app: 7 })).toEqual(["Allow ", 7, " to use your work search?"]);
  });
});
