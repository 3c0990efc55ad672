import { fromCsv, toCsv } from "#glossary/glossary-csv.ts";
import type { GlossaryEntry } from "#glossary/glossary.ts";
import { describe, expect, it } from "vitest";

const both = (term: string, meaning: string): GlossaryEntry => ({ term, meaning, isTwoWay: true, language: null });

describe("a glossary as CSV", () => {
  it("is read as it was written", () => {
    const entries = [
      both("PTO", "paid time off"),
      both("-Xmx", 'heap, "maximum"'),
      { ...both("Urlaub", "Ferien"), isTwoWay: false, language: "de" as const },
    ];
    expect(fromCsv(toCsv(entries))).toEqual(entries);
  });

  it.each([
    ["PTO,paid time off", [both("PTO", "paid time off")]],
    ["\ufeffTerm;Meaning\r\nPTO;paid time off\r\n\r\n", [both("PTO", "paid time off")]],
    ["db\tdatabase\tOne way\t", [{ ...both("db", "database"), isTwoWay: false }]],
    ["", []],
  ])("needs no header, and takes what spreadsheets write: %j", (text, entries) => {
    expect(fromCsv(text)).toEqual(entries);
  });

  it.each([
    ["PTO", "Line 1: write a term"],
    ["a,b\nc,d,up", "Line 2: the third cell"],
    ["a,b,both,xx", "Line 1: the fourth cell"],
  ])("names the line that is wrong: %j", (text, message) => {
    expect(() => fromCsv(text)).toThrow(message);
  });
});
