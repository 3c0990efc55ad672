import { parseStrictJson, RepeatedMember, TooComplex } from "#crypto/strict-json.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("parseStrictJson, for JSON that every parser reads the same way (RFC 8259 §4)", () => {
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
  ])("refuses a repeated member: %s", (text) => {
    expect(() => parseStrictJson(text)).toThrow(RepeatedMember);
  });

  it.each([
    '{"a":{"a":1},"b":{"a":[{"a":1},{"a":1}]}}',
    '{"a":"a","b":"a:"}',
    '["a","a",":"]',
    '"a:a"',
    '{"a":1,"A":2}',
  ])("accepts names that are not repeated in one object: %s", (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it.each(["", "{", '{"a":1,}', "{'a':1}", '{"a":1,"a":2', "nul"])(
    "throws a SyntaxError for text that is no JSON: %j",
    (text) => {
      expect(() => parseStrictJson(text)).toThrow(SyntaxError);
      expect(() => parseStrictJson(text)).not.toThrow(RepeatedMember);
    },
  );

  it("accepts whatever JSON.stringify writes, and refuses it with one member repeated", () => {
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

  it("refuses nesting deeper than 100 before it parses, even if the text is also wrong otherwise", () => {
    const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`;
    expect(parseStrictJson(nested(100))).toMatchObject({});
    for (const text of [nested(102), `[${nested(100)}]`, `{"a":1,"a":1,"b":${nested(100)}}`, "[".repeat(8_000_000)]) {
      expect(() => parseStrictJson(text)).toThrow(TooComplex);
    }
  });

  it("refuses more than 600000 objects, arrays and members before it parses, to save memory", () => {
    const text = (part: string, count: number) => `[${`${part},`.repeat(count - 1)}${part}`;
    for (const part of ["{}", "[[[]],[]]", '{"a":0}', '{"35":0}']) {
      const most = Math.floor(599_999 / (part.match(/[[{:]/g)?.length ?? 0));
      if (part === "{}") expect(parseStrictJson(`${text(part, most)}]`)).toHaveLength(most);
      // The text is not closed: if it was parsed, this would be a SyntaxError.
      expect(() => parseStrictJson(text(part, most + 1)), part).toThrow(
        new TooComplex("has more than 600000 objects, arrays and members"),
      );
    }
  });

  it("accepts a page of documents that names 8 MiB of users", () => {
    const user = (_: unknown, at: number) => `{"email":"${String(at).padStart(6, "0")}@acme.com"}`;
    const text = `{"documents":[{"permissions":{"allowedUsers":[${Array.from({ length: 299_000 }, user).join()}]}}]}`;
    expect(text.length).toBeGreaterThan(8_370_000);
    expect(parseStrictJson(text)).toMatchObject({});
  });

  it("reads megabytes of invalid JSON only once, in linear time", () => {
    for (const text of [`{"${"x".repeat(1_000_000)}"${":".repeat(1_000_000)}`, `"${'\\"'.repeat(1_000_000)}\\`]) {
      expect(() => parseStrictJson(text)).toThrow(SyntaxError);
    }
  });

  it("reads strings of megabytes, even if they are only escapes", () => {
    expect(parseStrictJson(JSON.stringify({ a: "x".repeat(8_000_000), b: "\\".repeat(1_000_000) }))).toMatchObject({});
  });
});
