import { foldGroupName, foldTerm } from "#protocol/folding.ts";
import { describe, expect, it } from "vitest";

describe("names of groups", () => {
  it.each([
    ["ÄRZTE", "a\u0308rzte"],
    ["Engineering", "ENGINEERING"],
  ])("are the same in any case, composed or not: %s %s", (left, right) => {
    expect(foldGroupName(left)).toBe(foldGroupName(right));
  });

  it.each(["ｅxecs", "execｓ", "ⅇxecs", "еxecs"])("are not the same for looking alike: %s", (name) => {
    expect(foldGroupName(name)).not.toBe(foldGroupName("execs"));
  });
});

describe("names and values of fields", () => {
  it.each(["FINANZ", "ﬁnanz", "ｆｉｎａｎｚ"])("are the same in any form: %s", (term) => {
    expect(foldTerm(term)).toBe("finanz");
  });
});
