import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };

/** Returns a text of this many words that nobody searches for, with others in their places. */
function textOf(length: number, words: Readonly<Record<number, string>>): string {
  return Array.from({ length }, (_, at) => words[at] ?? `f${at % 5000}`).join(" ");
}

function found(limits: FindLimits, query: string, bodies: Readonly<Record<string, string>>): string[] {
  const world = new World(limits);
  for (const [id, body] of Object.entries(bodies)) putDocument(world.store, aDocument(id, { body }), 1, 0);
  return world.all(seer, { query });
}

/** Whether all documents are weighed, or those that the index gives. */
const WAYS = [
  ["of everything that somebody may see", FIND_LIMITS],
  ["of what lists of the index give", { ...FIND_LIMITS, narrow: 0 }],
] as const;

describe.each(WAYS)("a search among long documents, weighing the best %s", (_, limits) => {
  it("puts a document with some of the words together before one with more of them scattered", () => {
    const bodies = {
      scattered: textOf(2000, { 5: "tide", 900: "almanac", 1000: "almanac", 1700: "tide" }),
      together: textOf(2000, { 1500: "tide", 1540: "almanac" }),
    };
    expect(found(limits, "tide almanac zeppelin ", bodies)).toEqual(["together", "scattered"]);
  });

  it("weighs all that the limit of bytes has room for, however often documents repeat their words", () => {
    const bodies = Object.fromEntries(
      Array.from({ length: 40 }, (_one, at) => [`d${at}`, `${"tide ".repeat(2000)}almanac`]),
    );
    const little = { ...limits, weighedBytes: 1000, passageBytes: 1600 };
    expect(found(little, "tide almanac ", { first: "tide almanac", ...bodies })[0]).toBe("first");
  });

  it("finds words together at the end of a long text", () => {
    const bodies = {
      end: textOf(5_000, { 4_996: "tide", 4_997: "almanac" }),
      scattered: textOf(5_000, { 5: "tide", 3000: "almanac" }),
    };
    expect(found(limits, "tide almanac ", bodies)).toEqual(["end", "scattered"]);
  });

  it("counts the title with every passage", () => {
    const bodies = {
      tide: textOf(2000, { 1500: "almanac" }),
      text: textOf(2000, { 1500: "tide", 1505: "almanac", 1540: "tide", 1545: "almanac" }),
    };
    expect(found(limits, "tide almanac ", bodies)).toEqual(["tide", "text"]);
  });

  it("weighs documents as a whole for one word, or if they are not long", () => {
    const often = { often: textOf(2000, { 5: "tide", 700: "tide", 1400: "tide" }), once: textOf(2000, { 5: "tide" }) };
    expect(found(limits, "tide ", often)).toEqual(["often", "once"]);
    const short = {
      scattered: textOf(240, { 5: "tide", 6: "tide", 200: "almanac", 201: "almanac" }),
      together: textOf(240, { 100: "tide", 101: "almanac" }),
    };
    expect(found(limits, "tide almanac ", short)).toEqual(["scattered", "together"]);
  });
});
