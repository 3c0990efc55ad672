import { groupName, userId } from "#indexing-api/vocabulary.ts";
import { readGroups, readGroupsOf } from "#people/directory-claims.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { foldName, foldTerm } from "#protocol/folding.ts";
import { coversTarget } from "#protocol/indexing-scope.ts";
import * as v from "valibot";
import { describe, expect, it } from "vitest";

describe("foldName, for names that decide about trust", () => {
  it.each([
    ["ÄRZTE", "a\u0308rzte"],
    ["Engineering", "ENGINEERING"],
  ])("makes names equal in any case, composed or not: %s %s", (left, right) => {
    expect(foldName(left)).toBe(foldName(right));
  });

  it.each(["ｅxecs", "execｓ", "ⅇxecs", "еxecs"])("doesn't make a lookalike of execs equal to it: %s", (name) => {
    expect(foldName(name)).not.toBe(foldName("execs"));
  });
});

/** Names with characters that look like ASCII characters, or that some rule of Unicode turns into ASCII, and the ASCII names. */
const ALIKE: readonly (readonly [name: string, ascii: string])[] = [
  ["\u212aarl", "karl"],
  ["\u017fales", "sales"],
  ["\u0130nfo", "info"],
  ["\u0131nfo", "info"],
  ["\ufb01nance", "finance"],
  ["\uff46inance", "finance"],
  ["\u0430cme", "acme"],
  ["a\u037eb", "a;b"],
  ["a\u1fefb", "a`b"],
];

/** Letters are folded together, which is a hundred times faster. Nothing composes with the separator between them. */
const LETTERS_AT_ONCE = 1024;
const BETWEEN = "|";

/** Unicode assigns no letters from here to the next plane with any, which holds tags and variation selectors. */
const UNASSIGNED = { from: 0x40000, to: 0xdf000 };

function lettersFrom(first: number): string[] {
  const codes = Array.from({ length: Math.min(LETTERS_AT_ONCE, 0x110000 - first) }, (_, at) => first + at);
  return codes.filter((code) => code < 0xd800 || code > 0xdfff).map((code) => String.fromCodePoint(code));
}

describe("lookalike names", () => {
  it.each(ALIKE)("stay different after folding: %s and %s", (name, ascii) => {
    for (const spelt of [name, name.toUpperCase(), name.normalize("NFD")]) {
      // Upper case or NFD, applied by this test, may already have turned it into ASCII.
      if (/^[ -~]*$/.test(spelt)) continue;
      expect(foldName(spelt)).not.toBe(foldName(ascii));
    }
  });

  it.each(ALIKE)("make different email addresses, before and after the @: %s and %s", (name, ascii) => {
    expect(parseEmailAddress(`${name}@acme.example`)).not.toBe(`${ascii}@acme.example`);
    expect(parseEmailAddress(`ben@${name}.example`)).not.toBe(`ben@${ascii}.example`);
  });

  it.each(ALIKE)("make different groups of the directory or of an issuer: %s and %s", (name, ascii) => {
    expect(readGroups([name])).not.toEqual(readGroups([ascii]));
    expect(readGroupsOf("https://idp.example", [name])).not.toEqual(readGroupsOf("https://idp.example", [ascii]));
  });

  it.each(ALIKE)("make different groups, users and names of a datasource: %s and %s", (name, ascii) => {
    expect(v.parse(groupName, name)).not.toBe(v.parse(groupName, ascii));
    expect(v.parse(userId, `${name}@acme.example`)).not.toBe(v.parse(userId, `${ascii}@acme.example`));
    expect(coversTarget({ family: "documents", target: ascii }, "documents", name)).toBe(false);
  });

  it("can't arise from folding: no letter outside ASCII becomes ASCII, and folding twice changes nothing", () => {
    for (let from = 0x80; from <= 0x10ffff; from += LETTERS_AT_ONCE) {
      if (from >= UNASSIGNED.from && from < UNASSIGNED.to) continue;
      const letters = lettersFrom(from);
      const folded = foldName(letters.join(BETWEEN));
      const each = folded.split(BETWEEN);
      const isAscii = each.some((letter) => letter < "\u0080");
      if (!isAscii && each.length === letters.length && foldName(folded) === folded) continue;
      for (const letter of letters) {
        const one = foldName(letter);
        const again = foldName(one);
        const code = letter.codePointAt(0)?.toString(16);
        if (one < "\u0080" || again !== one) expect({ code, one, again }).toBe("a letter beyond ASCII, folded");
      }
    }
  });
});

describe("foldTerm, for names and values of fields", () => {
  it.each(["FINANZ", "ﬁnanz", "ｆｉｎａｎｚ"])("makes every compatibility form equal: %s", (term) => {
    expect(foldTerm(term)).toBe("finanz");
  });
});
