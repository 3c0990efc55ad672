import { indexable, readable, rowOf, termsIn, wordsIn } from "#documents/words.ts";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { anyText } from "../support/any-text.ts";

const scripts = fc.constantFrom(
  ..."検索カタカナひらがなー한국어ไทยภาษาລາວភាសាမြန်မာabc ÄßÉ１ＡﾊﾟﬁİıΣς\u0301\u200b\u0002".split(""),
);
// oxlint-disable-next-line no-control-regex -- what indexable removes
const REMOVED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b]/g;
const text = fc.oneof(
  anyText,
  fc.array(scripts).map((letters) => letters.join("")),
);

describe("text for the index", () => {
  it("is cut if a script has no spaces, and nowhere else", () => {
    const cut = (given: string) => indexable(given).split("\u200b");
    expect(cut("Quarterly plan, year-end")).toEqual(["Quarterly plan, year-end"]);
    expect(cut("検索エンジン")).toEqual("検索エンジン".split(""));
    expect(cut("Q3の計画v2")).toEqual(["Q3", "の", "計", "画", "v2"]);
    expect(cut("ไทยภาษา plan")).toEqual(["ไทย", "ภาษา plan"]);
    expect(cut("한국어 검색")).toEqual(["한국어 검색"]);
  });

  it("is cut at every character of such a script, and loses surplus marks of every kind", () => {
    const missed: string[] = [];
    for (let code = 0; code <= 0xffff; code += 1) {
      const letter = String.fromCharCode(code);
      const isCut =
        !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(letter) ||
        indexable(`${letter}a`).includes("\u200b");
      const isFreed =
        !/\p{M}/u.test(letter) || indexable(`a${letter.repeat(32)}`) === indexable(`a${letter.repeat(31)}`);
      if (!isCut || !isFreed) missed.push(code.toString(16));
    }
    expect(missed).toEqual([]);
  });

  it("has one width and no control character", () => {
    expect(indexable("ＡＢＣ１２ ﬁne \u0002x\u0003\u0000")).toBe("ABC12 fine x");
    expect(readable(indexable("ﾊﾟｽ"))).toBe("パス");
    expect(indexable("\ud800a")).toBe("\ufffda");
  });

  it("reads back as it was except for the width and form of letters, and stays the same when indexed again", () => {
    fc.assert(
      fc.property(text, (given) => {
        const once = indexable(given);
        expect(indexable(once)).toBe(once);
        expect(indexable(readable(once))).toBe(once);
        expect(readable(once).normalize("NFKC")).toBe(given.toWellFormed().replace(REMOVED, "").normalize("NFKC"));
      }),
    );
  });
});

describe("text that is made to be expensive", () => {
  const marks = 200_000;

  it.each([
    ["marks of one kind", `漢${"\u0483".repeat(2 * marks)}`],
    ["marks that have to be put in order", `a${"\u0301".repeat(marks)}${"\u0323".repeat(marks)}`],
  ])("is still cut into words: %s", (_what, made) => {
    expect(indexable(made).length).toBeLessThan(100);
    expect([wordsIn(made).length, termsIn(made).length]).toEqual([1, 1]);
  });

  it("needs a dictionary only for scripts whose words only a dictionary knows, and once for all of them", () => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, "segment");
    try {
      const passes = (given: string) => {
        segment.mockClear();
        indexable(given);
        wordsIn(given);
        return segment.mock.calls.length;
      };
      const others = [
        "1\ufe0f\u20e3",
        "मैं नहीं ",
        "שָׁלוֹם עֲלֵיכֶם ",
        "بِسْمِ ٱللَّهِ ",
        "a\u0301\u0302 ",
        "中\u0301\u0302",
        "กก ",
        "ก\u0e48\u0e48\u0e48 ",
      ];
      expect(others.map((each) => passes(each.repeat(1000)))).toEqual(others.map(() => 0));
      expect(passes("ภาษาไทย plan ".repeat(1000))).toBe(2);
    } finally {
      segment.mockRestore();
    }
  });

  it("keeps the marks that languages have", () => {
    expect(indexable(`e${"\u0323".repeat(30)}`).normalize("NFD")).toBe(`e${"\u0323".repeat(30)}`);
  });
});

describe("words of a text", () => {
  it.each([
    ["Résumé RESUME", ["resume", "resume"]],
    ["Straße STRASSE", ["strasse", "strasse"]],
    ["İstanbul ISPARTA ısparta", ["istanbul", "isparta", "isparta"]],
    ["ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]],
    ["ＡＢＣ ﬁne", ["abc", "fine"]],
    ["検索", ["検", "索"]],
    ["हिन्दी", ["हिन्दी"]],
    ["a-b_c", ["a", "b", "c"]],
    ["", []],
  ])("are split and folded from %j", (given, words) => {
    expect(wordsIn(given)).toEqual(words);
  });

  it("are the same for the text and for its indexed form", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(wordsIn(indexable(given))).toEqual(wordsIn(given));
      }),
    );
  });
});

describe("terms of a query", () => {
  it("are one for a word between spaces, and a dictionary's words if there are no spaces", () => {
    expect(termsIn("year-end")).toEqual(["year end"]);
    expect(termsIn("機械学習")).toEqual(["機 械", "学 習"]);
    expect(termsIn("?!")).toEqual([]);
  });
});

describe("a long word", () => {
  const long = "a".repeat(190_000);

  it("counts as its first 64 letters, in texts and in what people type", () => {
    expect(wordsIn(`${long} b`)).toEqual(["a".repeat(64), "b"]);
    expect(wordsIn(`${"é".repeat(100)} ${"한".repeat(100)}`)).toEqual(["e".repeat(64), "한".repeat(64)]);
    // No letter of two code units is cut in half.
    expect(wordsIn(`b${"𐐨".repeat(80)}`)).toEqual([`b${"𐐨".repeat(31)}`]);
    expect(termsIn(long)).toEqual(["a".repeat(64)]);
    expect(termsIn("é".repeat(100))).toEqual(["é".repeat(64)]);
  });

  it("is found in a row with others", () => {
    expect(rowOf(wordsIn(`see ${long}`))(`Please see ${long}`)).toBe(true);
    expect(rowOf(wordsIn(`${long} ends`))(`${long} ends`)).toBe(true);
    expect(rowOf(wordsIn("aa"))(long)).toBe(false);
  });
});

describe("a search in a document's words", () => {
  it.each([
    ["Straße", "strasse", true],
    ["İstanbul", "istanbul", true],
    ["ΟΔΟΣ", "οδος", true],
    ["ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς", true],
    ["e\u0301te\u0301", "été", true],
    ["Việt", "viet", true],
    ["ＡＢＣ", "abc", true],
    ["検索エンジン", "エンジン", true],
    ["検索エンジン", "索エ", true],
    ["हिन्दी", "हिन्दी", true],
    ["हिन्दी", "ह", false],
    ["ไทยภาษา", "ภาษา", true],
    ["пойти", "ПОЙТИ", true],
    ["пойти", "пой", false],
  ])("finds in %j the words of %j: %j", (stored, typed, isFound) => {
    const words = wordsIn(indexable(stored));
    const sought = wordsIn(typed);
    expect(words.some((_, at) => sought.every((word, offset) => words[at + offset] === word))).toBe(isFound);
  });
});
