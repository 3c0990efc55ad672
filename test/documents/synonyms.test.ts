import { FIND_LIMITS } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const EVERYONE = { kind: "everyone", datasource: "", name: "" } as const;
const seer = { email: "ada@acme.example", directoryGroups: [] };
const PTO = [{ words: ["pto"], synonyms: ["paid time off"] }];
const FILLER = Array.from({ length: 40 }, (_, at) => `filler${at}`).join(" ");

describe.each([
  ["few documents", FIND_LIMITS],
  ["many documents", { ...FIND_LIMITS, narrow: 0, weighed: 60 }],
])("what else a word is called, among %s", (_, limits) => {
  /** Returns a function that searches pages of title and body. */
  function among(pages: Readonly<Record<string, readonly [title: string, body: string]>>) {
    const world = new World(limits);
    for (const [id, [title, body]] of Object.entries(pages)) {
      putDocument(world.store, aDocument(id, { title, body, principals: [EVERYONE] }), 1, 0);
    }
    return (query: string, synonyms = PTO) => world.page(seer, { query }, { synonyms });
  }
  const idsOf = ({ documents }: ReturnType<ReturnType<typeof among>>) => documents.map(({ externalId }) => externalId);

  it("finds documents that have it, as words in a row if it is several, and shows where", () => {
    const find = among({
      leave: ["Leave", `Everybody has paid time off. ${FILLER}`],
      apart: ["Apart", `Time is money, and bills are paid. Take the train off peak. ${FILLER}`],
      other: ["Other", FILLER],
    });
    const page = find("pto ");
    expect(idsOf(page)).toEqual(["leave"]);
    expect(page.missingWords).toEqual([]);
    const [{ text, ranges }] = page.documents.map(({ excerpt }) => excerpt) as [(typeof page.documents)[0]["excerpt"]];
    expect(ranges.map(([from, until]) => text.slice(from, until))).toEqual(["paid time off"]);
    expect(idsOf(find('"pto"'))).toEqual([]);
  });

  it("comes after the typed word if both say as much, and before it if it says more", () => {
    const find = among({
      typed: ["PTO", FILLER],
      called: ["Paid time off", FILLER],
      mention: ["Minutes", `${FILLER} ${FILLER} somebody asked about pto ${FILLER}`],
    });
    expect(idsOf(find("pto "))).toEqual(["typed", "called", "mention"]);
  });

  it("counts as having the word, so that documents with all words come first", () => {
    const find = among({
      some: ["Carry carry bags", `carry over ${FILLER}`],
      all: ["Notes", `carry unused paid time off into spring ${FILLER}`],
    });
    expect(idsOf(find("carry pto "))).toEqual(["all", "some"]);
  });

  it("stands for several typed words", () => {
    const find = among({ pto: ["PTO", FILLER], time: ["Time", FILLER] });
    const synonyms = [{ words: ["paid", "time", "off"], synonyms: ["pto"] }];
    expect(idsOf(find("paid time off ", synonyms))).toEqual(["pto", "time"]);
  });

  it("is found on a long page, whose passages count", () => {
    const long = Array.from({ length: 12 }, () => FILLER).join(" ");
    const find = among({
      far: ["Far", `${long} carry over ${long} paid time off`],
      near: ["Near", `${long} carry over your paid time off ${long}`],
      short: ["Short", "carry"],
    });
    expect(idsOf(find("carry over pto rules "))[0]).toBe("near");
  });
});
