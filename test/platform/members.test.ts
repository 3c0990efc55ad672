import { closed, describeIssue, unused, WARNINGS_MAX, warningsOf } from "#platform/members.ts";
import * as v from "valibot";
import { describe, expect, it } from "vitest";

const word = v.pipe(v.string(), v.maxLength(3));
const document = v.object({
  datasource: word,
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  kind: v.optional(v.picklist(["page", "file"])),
  owner: v.optional(closed({ email: word })),
});

function described(input: unknown): string | undefined {
  const [issue] = v.safeParse(document, input, { abortEarly: true }).issues ?? [];
  return issue && describeIssue(issue, "document", "document.");
}

describe("the message about a wrong member names it and what is expected", () => {
  it.each([
    [{}, "document.datasource is missing"],
    [{ datasource: "x", owner: {} }, "document.owner.email is missing"],
    ["text", 'document is not acceptable: expected Object but received "text"'],
    [{ datasource: 5 }, "document.datasource is not acceptable: expected string but received 5"],
    [{ datasource: "long" }, "document.datasource is not acceptable: expected a length of at most 3 but received 4"],
    [{ datasource: "x", count: 1.5 }, "document.count is not acceptable: expected an integer but received 1.5"],
    [
      { datasource: "x", count: -1 },
      "document.count is not acceptable: expected a value of at least 0 but received -1",
    ],
    [
      { datasource: "x", kind: "note" },
      'document.kind is not acceptable: expected ("page" | "file") but received "note"',
    ],
    [
      { datasource: "x", owner: { email: "x", mail: "y" } },
      "document.owner.mail is not acceptable: there is no such member; there are email",
    ],
  ])("%j", (input, text) => {
    expect(described(input)).toBe(text);
  });
});

describe("warnings about unused members of a request", () => {
  it("name each unused member, up to a hundred, and ignore the rest", () => {
    const list = closed({ documents: v.array(v.object({ name: word, note: unused })), version: unused });
    const few = { documents: [{ name: "a" }, { name: "b", note: 1, x: { y: 2 } }], version: 3 };
    expect(warningsOf(list, few).map(({ path }) => path)).toEqual(["documents.1.note", "documents.1.x", "version"]);
    const many = { name: "a", ...Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x${at}`, 1])) };
    const warnings = warningsOf(list, { documents: [many, many], version: 3 });
    expect([warnings.length, warnings.at(-1)?.path]).toEqual([WARNINGS_MAX, `documents.0.x${WARNINGS_MAX - 1}`]);
  });

  it("show only the beginning of a very long name", () => {
    const [warning] = warningsOf(v.object({}), { [`a${"\u{1f600}".repeat(100_000)}`]: 1 });
    expect(warning?.path).toMatch(/^a\p{Extended_Pictographic}+\ufffd…$/u);
    expect(warning?.path.length).toBeLessThan(310);
  });
});
