import { excerptOf, withoutTitle } from "#documents/find/page/excerpt.ts";
import { describe, expect, it } from "vitest";

it("an excerpt is from the best passage of a long text, however late that comes", () => {
  const filler = "Teams review their practices every quarter. ".repeat(3000);
  const text = `${filler}Dogs are welcome in the Berlin office. ${filler}`;
  const sought = {
    words: new Map([
      ["dogs", 0],
      ["office", 1],
      ["teams", 2],
    ]),
    phrases: [],
  };
  const { text: shown, ranges } = excerptOf(text, sought, 200);
  expect(ranges.map(([from, to]) => shown.slice(from, to))).toEqual(expect.arrayContaining(["Dogs", "office"]));
});

it("an excerpt of a long text is from the best passage, also if its words have accents", () => {
  const filler = "Die Gruppen berichten über ihre Arbeit. ".repeat(200);
  const terms = { words: new Map([["prufung", 0]]), phrases: [] };
  expect(excerptOf(`${filler}Die Prüfung dauert zwei Tage. ${filler}`, terms, 200).text).toContain("Prüfung");
});

it("an excerpt can be made of a text with a very long word", () => {
  const word = "x".repeat(150_000);
  const sought = {
    words: new Map([
      [word, 0],
      ["dogs", 0],
    ]),
    phrases: [],
  };
  expect(excerptOf(`${word} Dogs are welcome.`, sought, 200).text).toMatch(/^….*Dogs are welcome\.$/);
});

it.each(["c#", "c++", ".net", "2.3", "🚀"])("an excerpt of a long text shows the place of %s", (word) => {
  const filler = "Teams review their practices every quarter. ".repeat(1000);
  const sought = { words: new Map([[word, 0]]), phrases: [] };
  expect(excerptOf(`${filler}We like ${word} here. ${filler}`, sought, 200).text).toContain(`We like ${word} here.`);
});

it("an excerpt shows the rare word of a text that has another word everywhere", () => {
  const filler = "🚀 a ".repeat(20_000);
  const sought = {
    words: new Map([
      ["🚀", 0],
      ["a", 1],
      ["dogs", 2],
    ]),
    phrases: [],
  };
  expect(excerptOf(`${filler}Dogs 🚀 are welcome. ${filler}`, sought, 200).text).toContain("Dogs 🚀 are welcome.");
});

const sought = (...words: string[]) => ({ words: new Map(words.map((word, slot) => [word, slot])), phrases: [] });

describe("an excerpt", () => {
  const filler = "Nothing of this is about it, but it takes some place in the text. ".repeat(5);

  it("starts with the sentence that has the words, and ends with one", () => {
    const text = `${filler}Every dog is welcome, on a leash, in the Berlin office. Cats stay at home. ${filler}`;
    expect(excerptOf(text, sought("office"), 120).text).toBe(
      "Every dog is welcome, on a leash, in the Berlin office. Cats stay at home.",
    );
  });

  it.each([
    ["an initial", "J. R. Ewing of Dallas office", "office"],
    ["an abbreviation", "approx. three dogs of the office", "office"],
  ])("doesn't take %s for the end of a sentence", (_what, sentence, word) => {
    expect(excerptOf(`${filler}The ${sentence}. ${filler}`, sought(word), 100).text).toMatch(`The ${sentence}.`);
  });

  it("shows where it is cut within a sentence, and cuts no word", () => {
    const text = `${"Paleoclimatologists and oceanographers ".repeat(4)}measure shells ${"and organisms ".repeat(20)}`;
    const { text: shown } = excerptOf(text, sought("shells"), 100);
    expect(shown).toMatch(/^…(?:Paleoclimatologists|and|oceanographers) .*measure shells .*(?:and|organisms)…$/);
    expect(excerptOf("Paleoclimatologists measure shells", sought("shells"), 200).text).toMatch(/^Paleo/);
  });

  it("separates no letter from its marks, and no half of a character", () => {
    const thai = excerptOf("ที่".repeat(300), sought("x"), 100).text;
    expect(thai).toMatch(/^(?:ที่)+…$/);
    const emoji = excerptOf("🚀".repeat(300), sought("x"), 101).text;
    expect(emoji).toMatch(/^(?:🚀)+…$/u);
  });

  it("ends before the heading of the next section", () => {
    const text = `Every dog is welcome in the office.\n\nCats and other animals\n\n${filler}`;
    expect(excerptOf(text, sought("dog"), 62).text).toBe("Every dog is welcome in the office.");
  });

  it.each([
    [
      "## Dogs\n\nEvery **dog** is [welcome](https://acme.example/a_b) in the office.",
      "Every dog is welcome in the office.",
    ],
    ["| dog | office |\n|---|:-:|\n| yes | Berlin |", "| dog | office |\n| yes | Berlin |"],
    ["```sh\ndog --office a[0][1] 2**3\n```", "dog --office a[0][1] 2**3"],
    ["The dog&nbsp;<b>is</b> in: Promise<string>", "The dog  is  in: Promise<string>"],
  ])("of %j is %j", (text, shown) => {
    const { text: excerpt, ranges } = excerptOf(text, sought("dog"), 200);
    expect(excerpt).toBe(shown);
    expect(ranges.map(([from, to]) => excerpt.slice(from, to).toLowerCase())).toContain("dog");
  });

  it.each([
    ["Office dogs", "Office dogs\n\nEvery dog is welcome.", "Every dog is welcome."],
    ["Office dogs", "# Office Dogs\nEvery dog is welcome.", "Every dog is welcome."],
    ["Office dogs", "Office dogs are welcome.", "Office dogs are welcome."],
    ["Office dogs", "Office dogs", "Office dogs"],
  ])("does not repeat the title %j of %j", (title, text, left) => {
    expect(withoutTitle(text, title)).toBe(left);
  });
});
