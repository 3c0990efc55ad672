import { pickPassages } from "#client-api/chat/passages.ts";
import { Subject } from "#client-api/chat/subject.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { describe, expect, it } from "vitest";

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
  pickPassages(documents, new Subject(question, ["en"])).map(({ text }) => text);

describe("passages", () => {
  it("begin with a sentence, also where a text was wrapped", () => {
    const text =
      "A badge opens every door of the building, and whoever has lost one\ntells the reception, which blocks it.";
    expect(picked("Who blocks a lost badge?", found("Access", text))).toEqual([text.replace("\n", " ")]);
  });

  it("leave out the parts of sentences at both ends of an excerpt", () => {
    const text = "…holds the badge until it is\nreturned. The reception blocks a badge. A new badge costs ten…";
    expect(picked("badge", found("Access", text))).toEqual(["The reception blocks a badge."]);
    expect(picked("badge", found("Access", "…one long badge sentence…"))).toEqual(["…one long badge sentence…"]);
  });

  it("put a sentence before the row of a table with the same words", () => {
    const row = found("Doors", "| badge | reception | blocked |");
    const sentence = found("Access", "The reception blocks a badge.");
    expect(picked("badge reception", row, sentence)[0]).toBe("The reception blocks a badge.");
  });
});
