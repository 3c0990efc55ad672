import { parseStrictJson, RepeatedMember, TooComplex } from "#crypto/strict-json.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("JSON of which every reader makes the same (RFC 8259 §4)", () => {
  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":{"c":[],"c":{}}}',
    '[0,{"a":{}},{"b":1,"a":2,"b":3}]',
    '{"a":1,"\\u0061":2}',
    '{"a\\"":1,"a\\u0022":2}',
    '{"a\\\\":1,"b":"\\\\","a\\\\":2}',
    '{"":1 , "" :2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":"}","b":"{\\"","a":1}',
  ])("refuses %s", (text) => {
    expect(() => parseStrictJson(text)).toThrow(RepeatedMember);
  });

  it.each([
    '{"a":{"a":1},"b":{"a":[{"a":1},{"a":1}]}}',
    '{"a":"a","b":"a:"}',
    '["a","a",":"]',
    '"a:a"',
    '{"a":1,"A":2}',
  ])("takes %s", (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it.each(["", "{", '{"a":1,}', "{'a':1}", '{"a":1,"a":2', "nul"])("throws what is no JSON as such: %j", (text) => {
    expect(() => parseStrictJson(text)).toThrow(SyntaxError);
    expect(() => parseStrictJson(text)).not.toThrow(RepeatedMember);
  });

  it("takes whatever was written by JSON.stringify, and refuses it with one member repeated", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (members, pick) => {
        const text = JSON.stringify(members);
        expect(parseStrictJson(text)).toEqual(JSON.parse(text));
        const names = Object.keys(members);
        const again = JSON.stringify(names[pick % names.length]);
        expect(() => parseStrictJson(`${text.slice(0, -1)},${again}:0}`)).toThrow(RepeatedMember);
      }),
    );
  });

  it("refuses what nests too deep before it is parsed, whatever comes before or is missing", () => {
    const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`;
    expect(parseStrictJson(nested(100))).toMatchObject({});
    for (const text of [nested(102), `[${nested(100)}]`, `{"a":1,"a":1,"b":${nested(100)}}`, "[".repeat(8_000_000)]) {
      expect(() => parseStrictJson(text)).toThrow(TooComplex);
    }
  });

  it("refuses more objects, arrays and members than a Worker has memory for, before it is parsed", () => {
    const text = (part: string, count: number) => `[${`${part},`.repeat(count - 1)}${part}`;
    for (const part of ["{}", "[[[]],[]]", '{"a":0}', '{"35":0}']) {
      const most = Math.floor(599_999 / (part.match(/[[{:]/g)?.length ?? 0));
      expect(parseStrictJson(`${text(part, most)}]`), part).toHaveLength(most);
      // What follows is no JSON, and would be told if it was read.
      expect(() => parseStrictJson(text(part, most + 1)), part).toThrow(
        new TooComplex("has more than 600000 objects, arrays and members"),
      );
    }
  });

  it("takes 8 MiB of users as a page of documents names them", () => {
    const user = (_: unknown, at: number) => `{"email":"${String(at).padStart(6, "0")}@acme.com"}`;
    const text = `{"documents":[{"permissions":{"allowedUsers":[${Array.from({ length: 299_000 }, user).join()}]}}]}`;
    expect(text.length).toBeGreaterThan(8_370_000);
    expect(parseStrictJson(text)).toMatchObject({});
  });

  it("reads a text of megabytes that is no JSON once", () => {
    for (const text of [`{"${"x".repeat(1_000_000)}"${":".repeat(1_000_000)}`, `"${'\\"'.repeat(1_000_000)}\\`]) {
      expect(() => parseStrictJson(text)).toThrow(SyntaxError);
    }
  });

  it("reads a string of megabytes, and one of nothing but escapes", () => {
    expect(parseStrictJson(JSON.stringify({ a: "x".repeat(8_000_000), b: "\\".repeat(1_000_000) }))).toMatchObject({});
  });
});
