import { Subject } from "#client-api/chat/subject.ts";
import { describe, expect, it } from "vitest";

const of = (question: string) => new Subject(question, ["en"]);

describe("Subject", () => {
  it("is the words of a question that tell one subject from another, once each, as they were typed", () => {
    expect(of("Please tell me: what's the Zeppelin's colour, and why doesn't the zeppelin fly?").query).toBe(
      "Zeppelin colour fly ",
    );
  });

  it("is what people ask by, where they name nothing else", () => {
    expect(of("How do I get help?").query).toBe("get help ");
  });

  it("is nothing where a question has the words alone that every sentence has", () => {
    expect(of("What is it?").size).toBe(0);
  });

  it("holds no operator of search", () => {
    expect(of('-status:draft "exact phrase" from:*').query).toBe("status draft exact phrase ");
  });

  it("has at most as many words as search takes, the longest", () => {
    const subject = of(Array.from({ length: 500 }, (_, at) => `w${at}`).join(" ") + " rotation");
    expect(subject.size).toBe(24);
    expect(subject.query).toMatch(/ rotation $/);
  });

  it("is held by a text in any form of its words", () => {
    const subject = of("rotating tokens quickly");
    expect(subject.heldBy("Rotate the TOKEN.").size).toBe(2);
    expect(subject.namesWithout(subject.heldBy("Rotate the TOKEN."))).toEqual(["quickly"]);
  });

  it("is held by words of scripts without spaces where they stand whole", () => {
    const subject = of("東京の天気");
    expect(subject.heldBy("明日の東京は雨").size).toBeGreaterThan(0);
    expect(subject.heldBy("京の東").has(0)).toBe(false);
  });
});
