import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const CSS = ["gatehouse", "console"].map((name) => readFileSync(`public/assets/${name}.css`, "utf8")).join("\n");

/** Each text colour must be readable on each ground. */
const TEXTS = ["text", "quiet", "accent", "accent-deep", "warn", "good", "bad"];
const GROUNDS = ["page", "card", "accent-soft", "warn-soft", "good-soft", "bad-soft"];

/** Texts of filled buttons, and their grounds. */
const FILLED = [
  ["accent-text", "accent"],
  ["accent-text", "accent-deep"],
  ["card", "bad"],
] as const;

/** Returns the colours that blocks of the style sheets define, by name. */
function paletteOf(blocks: RegExp): ReadonlyMap<string, string> {
  const colours = [...CSS.matchAll(blocks)].flatMap(([block]) => [...block.matchAll(/--([\w-]+): (#[\da-f]{6});/g)]);
  return new Map(colours.map(([, name = "", colour = ""]) => [name, colour]));
}

const PALETTES = [
  ["light", paletteOf(/^(?::root|body\.console) \{[^}]+\}/gm)],
  ["dark", paletteOf(/^@media \(prefers-color-scheme: dark\) \{[^}]+\}/gm)],
] as const;

/** The relative luminance of a colour (WCAG 2.2). */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one = "", other = ""): number {
  const [darker = NaN, lighter = NaN] = [luminanceOf(one), luminanceOf(other)].sort((left, right) => left - right);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns the values of a property in the style sheets, without the prefix of our variables. */
function valuesOf(property: string): string[] {
  const values = [...CSS.matchAll(new RegExp(`[{;]\\s*${property}: ([^;}]+?)\\s*[;}]`, "g"))].map(
    ([, value]) => value ?? "",
  );
  return [...new Set(values)].map((value) => value.replace(/^var\(--([\w-]+)\)$/, "$1"));
}

describe("the colours of pages", () => {
  it.each(PALETTES)("have enough contrast when they are %s (WCAG 2.2 §1.4.3, §1.4.11)", (_name, palette) => {
    const pairs = [...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)), ...FILLED];
    const edges = ["page", "card"].map((ground) => ["edge", ground] as const);
    const between = ([one, other]: readonly [string, string]) => contrastOf(palette.get(one), palette.get(other));
    expect(pairs.filter((pair) => !(between(pair) >= 4.5))).toEqual([]);
    expect(edges.filter((pair) => !(between(pair) >= 3))).toEqual([]);
  });

  it("are only those that are compared", () => {
    const known = [...TEXTS, ...FILLED.map(([text]) => text), "inherit"];
    expect(valuesOf("color").filter((value) => !known.includes(value))).toEqual([]);
    // Providers' logos are on white in both palettes.
    const grounds = [...GROUNDS, ...FILLED.map(([, ground]) => ground), "transparent", "#fff"];
    expect(valuesOf("background").filter((value) => !grounds.includes(value))).toEqual([]);
    expect(valuesOf("background").length).toBeGreaterThan(8);
  });
});
