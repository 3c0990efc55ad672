import { parseScimFilter, parseScimPath, type ScimFilter } from "#protocol/scim-filter.ts";
import { describe, expect, it } from "vitest";

const is = (attribute: string, value: string | number | boolean | null): ScimFilter => ({
  kind: "compare",
  attribute,
  operator: "eq",
  value,
});

describe("a SCIM filter (RFC 7644 §3.4.2.2)", () => {
  it.each<[string, ScimFilter]>([
    ['userName eq "a"', is("username", "a")],
    ['USERNAME EQ "a"', is("username", "a")],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', is("username", "a")],
    [String.raw`userName eq "say \"a\" \\ é"`, is("username", String.raw`say "a" \ é`)],
    ['userName eq "a) or (b"', is("username", "a) or (b")],
    ["active eq True", is("active", true)],
    ["title eq null", is("title", null)],
    ["n eq 1.5", is("n", 1.5)],
    ["title pr", { kind: "present", attribute: "title" }],
    ["a eq 1 and b eq 2", { kind: "and", parts: [is("a", 1), is("b", 2)] }],
    [
      "a eq 1 or b eq 2 and c eq 3",
      { kind: "or", parts: [is("a", 1), { kind: "and", parts: [is("b", 2), is("c", 3)] }] },
    ],
    [
      "(a eq 1 or b eq 2) and c eq 3",
      { kind: "and", parts: [{ kind: "or", parts: [is("a", 1), is("b", 2)] }, is("c", 3)] },
    ],
    ["not (a eq 1) and b eq 2", { kind: "and", parts: [{ kind: "not", of: is("a", 1) }, is("b", 2)] }],
    ['emails[type eq "work"]', { kind: "element", attribute: "emails", of: is("type", "work") }],
  ])("is parsed: %s", (text, filter) => {
    expect(parseScimFilter(text)).toEqual(filter);
  });

  it.each([
    "",
    "a",
    "a eq",
    "a like 1",
    "a eq b",
    "a eq 'b'",
    'a eq "b',
    String.raw`a eq "\x"`,
    "a eq 1 b eq 2",
    "a eq 1 and",
    "and a eq 1",
    "not a eq 1",
    "(a eq 1",
    "a eq 1)",
    "a[b eq 1",
    "a[]",
    "1 eq a",
    "a eq 1; DROP TABLE people",
  ])("is refused: %j", (text) => {
    expect(parseScimFilter(text)).toBeUndefined();
  });

  it("is limited in depth and length", () => {
    const nested = (depth: number) => `${"(".repeat(depth)}a eq 1${")".repeat(depth)}`;
    expect(parseScimFilter(nested(4))).toEqual(is("a", 1));
    expect(parseScimFilter(nested(20))).toBeUndefined();
    expect(parseScimFilter(`a eq "${"x".repeat(900)}"`)).toBeDefined();
    expect(parseScimFilter(`a eq "${"x".repeat(1000)}"`)).toBeUndefined();
  });
});

describe("a SCIM path (RFC 7644 §3.5.2)", () => {
  it("is an attribute, with an optional filter of its elements and a sub-attribute", () => {
    expect(parseScimPath("members")).toEqual({ attribute: "members" });
    expect(parseScimPath('emails[type eq "work"].Value')).toEqual({
      attribute: "emails",
      of: is("type", "work"),
      sub: "value",
    });
    for (const text of ["", "a b", "emails[", "emails[]", 'emails[type eq "work"]value', "a[b eq 1].c.d"]) {
      expect(parseScimPath(text)).toBeUndefined();
    }
  });
});
