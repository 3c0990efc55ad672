import { isRedirectUri, matchesRegistered, requireRedirectUri, withParameters } from "#protocol/redirect-uri.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../support/any-text.ts";
import { runs } from "../support/properties.ts";

const segment = fc.stringMatching(/^[A-Za-z0-9_~!$&'()+,=:@-]{1,8}$/);
const path = fc.array(segment, { maxLength: 3 }).map((segments) => segments.map((text) => `/${text}`).join(""));
const query = fc.option(fc.stringMatching(/^[a-z]{1,4}=[A-Za-z0-9%&=._-]{0,8}$/), { nil: undefined });
const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
const domain = fc.stringMatching(/^[a-z][a-z0-9]{0,8}(\.[a-z]{2,6}){1,2}$/);
const loopbackHost = fc.constantFrom("127.0.0.1", "[::1]", "localhost");
const privateScheme = fc.stringMatching(/^[a-z]{2,6}\.[a-z]{2,6}(\.[a-z]{2,6})?$/);

const atPort = (number: number | undefined) => (number === undefined ? "" : `:${number}`);
const asked = (text: string | undefined) => (text === undefined ? "" : `?${text}`);

const web = fc.tuple(domain, port, path, query).map(([host, n, p, q]) => `https://${host}${atPort(n)}${p}${asked(q)}`);
const loopback = fc
  .tuple(loopbackHost, port, path, query)
  .map(([host, n, p, q]) => `http://${host}${atPort(n)}${p}${asked(q)}`);
const ownScheme = fc.tuple(privateScheme, path, query).map(([scheme, p, q]) => `${scheme}:${p}${asked(q)}`);
const honest = fc.oneof(web, loopback, ownScheme).filter((uri) => !/%(?![0-9a-f]{2})/i.test(uri));

/** Removes the port of a loopback address, by other means than the code under test. */
function withoutPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):[0-9]+(?=[/?]|$)/, "$1");
}

/** A mutation that inserts, removes or replaces a character at some place. */
const mutation = fc.record({
  at: fc.nat(200),
  remove: fc.nat(1),
  insert: fc.oneof(
    anyText.map((text) => text.slice(0, 2)),
    fc.constantFrom("/", ".", "..", "@", "\\", "#", "%", "*"),
  ),
});

describe("redirect URIs (RFC 9700 §2.1, RFC 8252 §7)", () => {
  it.each(["code=1", "a=b&state=", "iss=https://app.example", "error", "%63ode=1"])(
    "are refused if the query already has a parameter of the response: %s",
    (own) => {
      for (const uri of [`https://app.example/cb?${own}`, `http://127.0.0.1/cb?${own}`, `com.example.app:/cb?${own}`]) {
        expect(isRedirectUri(uri)).toBe(false);
      }
      expect(isRedirectUri("https://app.example/cb?codes=1&xstate=2&client=code")).toBe(true);
    },
  );

  it("are accepted as honest apps register them, and match themselves", () => {
    fc.assert(
      fc.property(honest, (uri) => {
        expect(isRedirectUri(uri)).toBe(true);
        expect(matchesRegistered(uri, [uri])).toBe(true);
      }),
    );
  });

  it("match only themselves, apart from the port of a loopback address", () => {
    fc.assert(
      fc.property(honest, honest, (one, other) => {
        expect(matchesRegistered(one, [other])).toBe(withoutPort(one) === withoutPort(other));
      }),
    );
  });

  it("match every port of an http loopback address, and only the registered port of any other", () => {
    const number = fc.integer({ min: 1, max: 65_535 });
    fc.assert(
      fc.property(loopbackHost, domain, path, number, number, (host, elsewhere, p, one, other) => {
        expect(matchesRegistered(`http://${host}:${one}${p}`, [`http://${host}:${other}${p}`])).toBe(true);
        expect(matchesRegistered(`http://${host}:${one}${p}`, [`http://${host}${p}`])).toBe(true);
        const isSame = one === other;
        expect(matchesRegistered(`https://${elsewhere}:${one}${p}`, [`https://${elsewhere}:${other}${p}`])).toBe(
          isSame,
        );
        expect(matchesRegistered(`https://${host}:${one}${p}`, [`https://${host}:${other}${p}`])).toBe(isSame);
      }),
    );
  });

  it("match no URI that differs in anything else", () => {
    fc.assert(
      fc.property(honest, mutation, (uri, { at, remove, insert }) => {
        const index = at % (uri.length + 1);
        const mutated = uri.slice(0, index) + insert + uri.slice(index + remove);
        fc.pre(withoutPort(mutated) !== withoutPort(uri));
        expect(matchesRegistered(mutated, [uri])).toBe(false);
        expect(matchesRegistered(uri, [mutated])).toBe(false);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("are refused if a browser could read them differently", () => {
    const beginning = fc.oneof(
      fc.constantFrom("https://", "https:/", "https:", "HTTPS://", "https://a.example", "https://a@", "https://a:"),
      fc.constantFrom("http://", "http://localhost", "http://127.0.0.1:", "http://[::1]", "com.a:", "javascript:"),
    );
    const anything = fc.oneof(
      anyText,
      fc.tuple(beginning, anyText).map((parts) => parts.join("")),
      fc
        .tuple(honest, mutation)
        .map(([uri, { at, remove, insert }]) => uri.slice(0, at) + insert + uri.slice(at + remove)),
    );
    fc.assert(
      fc.property(anything, (uri) => {
        if (!isRedirectUri(uri)) return;
        const url = new URL(uri);
        expect(uri.startsWith(url.protocol)).toBe(true);
        expect(["javascript:", "data:", "vbscript:", "file:", "blob:"]).not.toContain(url.protocol);
        expect([url.username, url.password, url.hash]).toEqual(["", "", ""]);
        expect(uri).not.toMatch(/[\s\\*#]|[^\x21-\x7e]/);
        if (url.protocol === "https:") expect(uri.toLowerCase().startsWith(`https://${url.hostname}`)).toBe(true);
        if (url.protocol === "http:") expect(["127.0.0.1", "[::1]", "localhost"]).toContain(url.hostname);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("are all refused with the same code and reason", () => {
    fc.assert(
      fc.property(fc.oneof(honest, anyText), (uri) => {
        if (isRedirectUri(uri)) requireRedirectUri(uri);
        else {
          expect(() => requireRedirectUri(uri)).toThrow(
            expect.objectContaining({ code: "invalid_redirect_uri", reason: "redirect_uri_unacceptable" }),
          );
        }
      }),
    );
  });

  it("keep their own bytes when parameters are added, which decode to the values that were added", () => {
    const value = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(honest, value, value, (uri, state, code) => {
        const answer = withParameters(uri, { code, state, absent: undefined });
        expect(answer.startsWith(uri)).toBe(true);
        const { searchParams } = new URL(answer);
        expect(searchParams.getAll("state").at(-1)).toBe(state);
        expect(searchParams.getAll("code").at(-1)).toBe(code);
        expect(searchParams.has("absent")).toBe(false);
      }),
    );
  });
});
