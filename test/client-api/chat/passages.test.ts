import { pickPassages } from "#client-api/chat/passages.ts";
import { Subject } from "#client-api/chat/subject.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { describe, expect, it, vi } from "vitest";

const found = (title: string, text: string): FoundDocument => ({
  datasource: "wiki",
  externalId: title,
  objectType: "Page",
  title,
  url: `https://wiki.example/${title}`,
  authorName: null,
  authorEmail: null,
  createdAt: null,
  updatedAt: null,
  customData: [],
  excerpt: { text, ranges: [] },
});

const picked = (question: string, ...documents: FoundDocument[]) =>
  pickPassages(documents, new Subject(question, ["en"])).passages.map(({ text }) => text);

describe("passages", () => {
  it("begin with a sentence, even if the text was wrapped", () => {
    const text =
      "A badge opens every door of the building, and whoever has lost one\ntells the reception, which blocks it.";
    expect(picked("Who blocks a lost badge?", found("Access", text))).toEqual([text.replace("\n", " ")]);
  });

  it("are chosen from the whole text, not only from the excerpt", () => {
    const document = { ...found("Access", "A badge is for one person."), text: "The reception blocks a lost badge." };
    expect(picked("Who blocks a lost badge?", document)).toEqual(["The reception blocks a lost badge."]);
  });

  it("count what the title and headings say about a sentence", () => {
    const text =
      "Doors\nNobody can block a door that a badge opens.\nLost badges\nCall the reception, which blocks it within a minute.";
    expect(picked("How fast is a lost badge blocked?", found("Access", text))[0]).toMatch(/^Call the reception/);
    const titled = found("Lost badges", "Call the reception, which blocks it within a minute.");
    expect(
      picked("How is a lost badge blocked?", found("Doors", "Nobody can block a door that a badge opens."), titled)[0],
    ).toMatch(/^Call/);
  });

  it("quote a row with the names of the columns, and put an amount first if it is asked for", () => {
    const list = found("Price list", "item,unit,gbp,eur\nBadge B1,each,12,14\nBadge B2,each,15,17");
    const talk = found("Meeting", "The cost of the badge B2 was discussed for a long time.");
    expect(picked("How much does the B2 cost?", talk, list)[0]).toBe("item: Badge B2; unit: each; gbp: 15; eur: 17");
  });

  it("begin with a row's own name if its column has none", () => {
    const compared = found("Specification", "| G4 | G5\nlist price | £249 | £279\nbattery | 4 hours | 48 hours");
    expect(picked("What is the list price of the G5?", compared)[0]).toBe("list price; G4: £249; G5: £279");
  });

  it("name the columns of tables however they are written, and keep rows that don't fit their first one", () => {
    const cases = [
      ["| Badge | Price |\n| B1 | £12 |\n| B2 | £15 |", "Badge: B2; Price: £15"],
      [
        'badge,what it is,unit,price\nB1,plain,each,12\nB2,"large,""gold""",each,15',
        'badge: B2; what it is: large,"gold"; unit: each; price: 15',
      ],
      ["badge,size,unit,price\nB1,1,each,12\nB2,1,each,15,new", "badge,size,unit,price\nB2,1,each,15,new"],
    ] as const;
    for (const [table, row] of cases) {
      expect([table, picked("How much does the B2 cost?", found("Badges", table))[0]]).toEqual([table, row]);
    }
  });

  it("put a name first if somebody is asked for", () => {
    const text = "A lost badge is blocked by the people at the entrance.\nIt is Rita Sousa who blocks lost badges.";
    expect(picked("Who blocks lost badges?", found("Access", text))[0]).toMatch(/^It is Rita Sousa/);
  });

  it("are none if no passage has the rarest word, or no document most of the question's words", () => {
    const text = "A lost badge is blocked by the reception.";
    const of = (question: string, weights: Record<string, number>) => {
      const subject = new Subject(question, ["en"]);
      subject.weigh(new Map(Object.entries(weights)));
      return pickPassages([found("Access", text)], subject);
    };
    const missing = of("Does the reception block a lost helicopter?", {
      reception: 2,
      block: 2,
      lost: 2,
      helicopter: 4,
    });
    expect([missing.passages, [...missing.missing]]).toEqual([[], [3]]);
    expect(of("How do I paint a badge blue?", { paint: 2, badge: 2, blue: 2 }).passages).toEqual([]);
    expect(of("Who blocks a lost badge today?", { blocks: 2, lost: 2, badge: 3 }).passages).toHaveLength(1);
  });

  it("put a sentence before a table row with the same words", () => {
    const row = found("Doors", "| badge | reception | blocked |");
    const sentence = found("Access", "The reception blocks a badge.");
    expect(picked("badge reception", row, sentence)[0]).toBe("The reception blocks a badge.");
  });

  it("put a row with a name from code before a sentence with another word of the question", () => {
    const row = found("Errors", "| 400 `invalid_target` | the resource is another service |");
    const sentence = found("Library", "The error says which target is invalid.");
    expect(picked("error invalid_target", sentence, row)[0]).toContain("another service");
  });

  it("leave code as it was written, though its signs end sentences elsewhere", () => {
    const text = "if (typeof badge !== 'string') throw new TypeError('Not a badge!');";
    expect(picked("typeof badge", found("Code", text))).toEqual([text]);
  });

  it("leave out copies, even with a word or two changed", () => {
    const text = (end: string) =>
      `A lost badge is blocked by the reception, which gives you a new one on the same ${end}.`;
    expect(picked("lost badge", found("One", text("day")), found("Two", text("afternoon")))).toEqual([text("day")]);
  });

  it("end before a heading or a question, and begin after it", () => {
    const text = "How do I block a badge?\nAsk the reception.\nWho pays for a badge?\nThe company does.";
    expect(picked("How is a badge blocked?", found("FAQ", text))).toEqual(["Ask the reception."]);
    const headed = "Lost badges\nThe reception blocks them.\nNew doors\nThey are open.";
    expect(picked("lost badge", found("Access", headed))).toEqual(["The reception blocks them."]);
  });

  it("include the list that a sentence announces", () => {
    const text = "If a badge is lost:\n1. Call the reception\n2. Block the badge\n\nNew doors\nThey are open.";
    expect(picked("lost badge", found("Access", text))).toEqual([
      "If a badge is lost:\n1. Call the reception\n2. Block the badge",
    ]);
    const bullets = "Do this for a lost badge:\nCall the reception.\nNew doors\nThey are open.";
    expect(picked("lost badge", found("Access", bullets))[0]).toMatch(/Call the reception\.$/);
  });

  it("don't add one with a single other word to one with most of the question's words", () => {
    const best = found("Badges", "The reception blocks a badge that somebody lost.");
    const other = found("Doors", "Nobody opens the door on Sundays.");
    expect(picked("Who blocks lost badges on Sundays?", best, other)).toEqual([best.excerpt.text]);
  });

  it("for a question that only joins words come only from a document with that title", () => {
    const text = "We make trailers. Today we are 140.";
    expect(picked("Who are we?", found("About", text))).toEqual([]);
    expect(picked("Who are we?", found("Who we are", text))).toEqual(["We make trailers. Today we are 140."]);
  });

  it("come from a line of ten thousand sentences", () => {
    const document = { ...found("T", ""), text: `Slow VPN\n${"A. ".repeat(10_000)}` };
    const copy = Array.prototype.slice;
    let copied = 0;
    vi.spyOn(Array.prototype, "slice").mockImplementation(function (this: unknown[], ...range) {
      const part = copy.apply(this, range);
      copied += part.length;
      return part;
    });
    const [passage] = picked("slow VPN", document);
    vi.restoreAllMocks();
    expect(passage).toMatch(/^A\. A\./);
    // Each sentence once or twice, not with all those after it.
    expect(copied).toBeLessThan(100_000);
  });
});
