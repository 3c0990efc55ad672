import { serviceWordsOf } from "#protocol/service-words.ts";
import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";

const headerOf = (name: string) => serviceWordsOf(name)?.authTypeHeader;

describe("the words that are derived from the service's name", () => {
  it("keep letters, digits and hyphens, and drop diacritics", () => {
    expect(headerOf("Gatehouse")).toBe("X-Gatehouse-Auth-Type");
    expect(headerOf("Acme Search")).toBe("X-Acme-Search-Auth-Type");
    expect(headerOf("Crème & Brûlée 2")).toBe("X-Creme-Brulee-2-Auth-Type");
    expect(headerOf("Straße Ørsted Łódź")).toBe("X-Strasse-Orsted-Lodz-Auth-Type");
    expect(headerOf("work_search")).toBe("X-work-search-Auth-Type");
    expect(headerOf("365")).toBe("X-365-Auth-Type");
    expect(headerOf("Ａｃｍｅ")).toBe("X-Acme-Auth-Type");
  });

  it("leave out other scripts, and don't exist if nothing is left", () => {
    expect(headerOf("Acme 検索")).toBe("X-Acme-Auth-Type");
    expect(headerOf("検索")).toBeUndefined();
    expect(headerOf("Поиск")).toBeUndefined();
    expect(headerOf("🔎")).toBeUndefined();
    expect(headerOf("")).toBeUndefined();
  });

  it("name the author of chat's answers in capitals", () => {
    expect(serviceWordsOf("Gatehouse")?.chatAuthor).toBe("GATEHOUSE_AI");
    expect(serviceWordsOf("Acme Search")?.chatAuthor).toBe("ACME_SEARCH_AI");
  });

  it("make a header that every name can have, if they exist", () => {
    assert(
      property(string({ unit: "grapheme" }), (name) => {
        const header = headerOf(name);
        if (header === undefined) return;
        expect(header).toMatch(/^X-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*-Auth-Type$/);
        expect(new Headers({ [header]: "OAUTH" }).get(header)).toBe("OAUTH");
      }),
    );
  });
});
