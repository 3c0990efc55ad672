import { isRedirectPattern, matchesPattern } from "#protocol/redirect-pattern.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../support/any-text.ts";
import { runs } from "../support/properties.ts";

const word = fc.stringMatching(/^[A-Za-z0-9_~.+()-]{1,8}$/).filter((text) => !/^\.+$/.test(text));
const host = fc.stringMatching(/^[a-z][a-z0-9]{0,8}(\.[a-z]{2,6}){1,2}$/);
const segment = fc.oneof(
  word,
  fc.constant("*"),
  word.map((text) => `${text}*`),
);
const pattern = fc
  .tuple(host, fc.array(segment, { minLength: 1, maxLength: 4 }))
  .map(([name, segments]) => `https://${name}/${segments.join("/")}`);

/** Fillings for a star that could lead to another host or depth than the pattern's. */
const escape = fc.oneof(
  fc.constantFrom("/", "a/b", "?x", "a?x=1", "#x", "%2F", "%2e%2e", "\\", "\n", " ", "é"),
  anyText.filter((text) => !/^[A-Za-z0-9\-._~!$&'()+,;=:@]*$/.test(text)),
);

function fill(text: string, filling: string): string {
  return text.replaceAll("*", () => filling);
}

describe("administrators' patterns for redirect URIs", () => {
  it.each([
    "http://app.example/cb",
    "http://app.example/*",
    "javascript://x/*",
    "https://user@app.example/*",
    "https://a/../*",
  ])("can't be %s, which no redirect URI could match", (text) => {
    expect(isRedirectPattern(text)).toBe(false);
  });

  it("match any characters of one path segment in place of a star", () => {
    fc.assert(
      fc.property(pattern, fc.oneof(word, fc.constant("")), (text, filling) => {
        expect(isRedirectPattern(text)).toBe(true);
        expect(matchesPattern(fill(text, filling), text)).toBe(true);
      }),
    );
  });

  it("don't match a slash, a query or an encoded character in place of a star", () => {
    fc.assert(
      fc.property(pattern, escape, (text, filling) => {
        fc.pre(text.includes("*"));
        expect(matchesPattern(fill(text, filling), text)).toBe(false);
      }),
    );
  });

  it("match exactly what the equivalent regular expression matches, on short paths", () => {
    const pieces = fc.array(fc.constantFrom("*", "a", "-", "/", "ab", "%41"), { minLength: 1, maxLength: 7 });
    const paths = fc.array(fc.constantFrom("a", "b", "-", "/", "%41", "%"), { maxLength: 9 });
    fc.assert(
      fc.property(pieces, paths, (inPattern, inUri) => {
        const [text, uri] = [`/${inPattern.join("")}`, `/${inUri.join("")}`];
        const expression = text.replaceAll(/\*+/g, "[A-Za-z0-9\\-._~!$&'()+,;=:@]*");
        fc.pre(uri !== text);
        expect(matchesPattern(`https://app.example${uri}`, `https://app.example${text}`)).toBe(
          new RegExp(`^${expression}$`).test(uri),
        );
      }),
      { numRuns: runs(2000) },
    );
  });

  it("take no longer for a path that nearly matches in very many ways (no backtracking)", () => {
    const text = "https://app.example/*-*-*-*-*-*/done";
    for (const dashes of [105, 200, 2000]) {
      expect(matchesPattern(`https://app.example/${"-".repeat(dashes)}`, text)).toBe(false);
      expect(matchesPattern(`https://app.example/${"-".repeat(dashes)}/done`, text)).toBe(true);
    }
  });

  it("match nothing on another host or port, or over http", () => {
    fc.assert(
      fc.property(
        pattern,
        fc.constantFrom(".bad.example", "@bad.example", ":8443", "x", "%2e", "\\"),
        (text, added) => {
          const uri = fill(text, "x").replace(/^(https:\/\/[^/]+)/, (authority) => authority + added);
          expect(matchesPattern(uri, text)).toBe(false);
          expect(matchesPattern(uri.replace("https:", "http:"), text)).toBe(false);
        },
      ),
    );
  });

  it("match only themselves without a star: no other character is special", () => {
    fc.assert(
      fc.property(host, word, fc.nat(30), (name, last, at) => {
        const text = `https://${name}/cb.${last}`;
        expect(matchesPattern(text, text)).toBe(true);
        const index = 8 + (at % (text.length - 8));
        const changed = text.slice(0, index) + (text[index] === "q" ? "r" : "q") + text.slice(index + 1);
        expect(matchesPattern(changed, text)).toBe(false);
        expect(matchesPattern(`${text}x`, text)).toBe(false);
        expect(matchesPattern(`x${text}`, text)).toBe(false);
      }),
    );
  });

  it.each([
    ["http://127.0.0.1/cb", "http://127.0.0.1:33418/cb", true],
    ["http://127.0.0.1/cb", "http://127.0.0.1/cb", true],
    ["http://[::1]/cb", "http://[::1]:1/cb", true],
    ["http://localhost", "http://localhost:8080", true],
    ["http://localhost", "http://localhost/", false],
    ["http://localhost/cb", "http://127.0.0.1/cb", false],
    ["http://localhost/cb", "http://localhost.bad.example/cb", false],
    ["http://localhost/cb", "http://localhost:80@bad.example/cb", false],
    ["http://127.0.0.1:33418/cb", "http://127.0.0.1:33419/cb", false],
    ["https://localhost/cb", "https://localhost:8080/cb", false],
    ["http://127.0.0.10/cb", "http://127.0.0.10:1/cb", false],
    ["cursor://host/oauth/*/callback", "cursor://host/oauth/user-1/callback", true],
    ["cursor://host/oauth/*/callback", "cursor://host/oauth/a/b/callback", false],
  ])("match as stated: %s against %s is %s", (text, uri, matches) => {
    expect(matchesPattern(uri, text)).toBe(matches);
  });

  it.each(["*", "", "https://*", "https://*/cb", "https://*.example/cb", "https://a.example/cb?x=*", "https:///cb"])(
    "can't be %j, which matches nothing, not even itself",
    (text) => {
      expect(isRedirectPattern(text)).toBe(false);
      expect(matchesPattern(text, text)).toBe(false);
      expect(matchesPattern(fill(text, "bad"), text)).toBe(false);
    },
  );
});
