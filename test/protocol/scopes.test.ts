import { API_SCOPES, narrowScopes, opensAnApi, parseScope, parseScopes, SCOPES } from "#protocol/scopes.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../support/any-text.ts";

const inAnyCase = (word: string) =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((upper) =>
      Array.from(word, (letter, index) => (upper[index] ? letter.toUpperCase() : letter.toLowerCase())).join(""),
    );
const known = fc.constantFrom(...SCOPES).chain(inAnyCase);
const word = fc.oneof(known, fc.constantFrom("openid", "SEARCHx", "", "*", "__proto__", "SEARCH,CHAT", "ſearch"));
const list = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
const allowed = fc.subarray([...SCOPES]);

describe("scopes (RFC 6749 §3.3)", () => {
  it("are recognised in any case", () => {
    fc.assert(
      fc.property(known, (spelling) => {
        expect(parseScope(spelling)?.toLowerCase()).toBe(spelling.toLowerCase());
      }),
    );
  });

  it("are not recognised in any other spelling", () => {
    const others = anyText.filter((text) => !/^(search|chat|documents|offline_access)$/i.test(text));
    fc.assert(
      fc.property(others, (text) => {
        expect(parseScope(text)).toBeUndefined();
      }),
    );
    for (const text of ["ſearch", "SEARCH\u200b", " SEARCH", "SEARCH\t", "＿", "offline-access"]) {
      expect(parseScope(text)).toBeUndefined();
    }
  });

  it("are narrowed to those both requested and allowed, each once, in the requested spelling", () => {
    fc.assert(
      fc.property(list, allowed, (requested, set) => {
        const granted = narrowScopes(requested, set);
        const meant = granted.map((text) => parseScope(text));
        for (const text of granted) expect(requested.split(" ")).toContain(text);
        for (const scope of meant) expect(set).toContain(scope);
        expect(new Set(meant).size).toBe(meant.length);
        expect(new Set(meant)).toEqual(new Set(parseScopes(requested).filter((scope) => set.includes(scope))));
      }),
    );
  });

  it("are not narrowed any further the second time", () => {
    fc.assert(
      fc.property(list, allowed, (requested, set) => {
        const once = narrowScopes(requested, set);
        expect(narrowScopes(once.join(" "), set)).toEqual(once);
      }),
    );
  });

  it("open an API only if one of them is an API's scope", () => {
    fc.assert(
      fc.property(list, (requested) => {
        const words = requested.split(" ");
        const expected = API_SCOPES.some((scope) => words.some((text) => text.toLowerCase() === scope.toLowerCase()));
        expect(opensAnApi(words)).toBe(expected);
      }),
    );
    expect(opensAnApi(["offline_access"])).toBe(false);
    expect(opensAnApi([])).toBe(false);
  });
});
