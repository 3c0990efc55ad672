import { Subject } from "#client-api/chat/subject.ts";
import type { FoundDocument } from "#documents/engine.ts";
import { pickPassages } from "#client-api/chat/passages.ts";
import { describe, expect, it } from "vitest";

const of = (question: string) => new Subject(question, ["en"]);

/** Returns the words of a question that a text doesn't have. */
function namesWithout(subject: Subject, text: string): string[] {
  const held = subject.heldBy(text);
  return subject.namesAt(new Set([...subject.places].filter((place) => !held.has(place))));
}

describe("Subject", () => {
  it("consists of the words of a question that distinguish subjects, once each, as they were typed", () => {
    expect(of("Please tell me: what's the Zeppelin's colour, and why doesn't the zeppelin fly?").query).toBe(
      "Zeppelin colour fly ",
    );
  });

  it("matches texts that write a verb and the word after it as one word", () => {
    const subject = of("How do I log in at the office in Berlin?");
    expect(subject.query).toBe("log in office in Berlin ");
    expect(namesWithout(subject, "The login of the Berlin team")).toEqual(["office"]);
    expect(subject.namesAt(subject.places)).toEqual(["log", "office", "Berlin"]);
  });

  it("leaves out words that ask for a number", () => {
    expect(of("How long are backups kept, and how often?").query).toBe("backups kept ");
    expect(of("Wie lange gilt ein Ausweis?").query).not.toContain("lange");
  });

  it("keeps the words of asking if the question names nothing else", () => {
    expect(of("How do I get help?").query).toBe("get help ");
  });

  it("tells if a question has only words that every sentence has", () => {
    expect([of("What is it?").isJoining, of("What is a badge?").isJoining]).toEqual([true, false]);
  });

  it("contains no search operators", () => {
    expect(of('-status:draft "exact phrase" from:*').query).toBe("status draft exact phrase ");
  });

  it("keeps words with their signs, and leaves out those that only join or shorten others", () => {
    const subject = of("Why can't I use C++ with v2.3?");
    expect(subject.query).toBe("c++ 2.3 ");
    expect(namesWithout(subject, "C++ since 2.3.1")).toEqual([]);
    expect(of("病気のときはどうすればいい").query).toBe("病気 ");
  });

  it("has at most the number of words that search accepts, and keeps the longest", () => {
    const subject = of(Array.from({ length: 500 }, (_, at) => `w${at}`).join(" ") + " rotation");
    expect(subject.size).toBe(24);
    expect(subject.query).toMatch(/ rotation $/);
  });

  it("matches any form of its words in a text", () => {
    const subject = of("rotating tokens quickly");
    expect(subject.heldBy("Rotate the TOKEN.").size).toBe(2);
    expect(namesWithout(subject, "Rotate the TOKEN.")).toEqual(["quickly"]);
  });

  it("matches two of its words that a text writes as one", () => {
    const subject = of("How do I roll back a release?");
    expect(namesWithout(subject, "A rollback takes two minutes.")).toEqual(["release"]);
  });

  it("takes what else its words are called for them: one word, or several in a row", () => {
    const pto = of("How much PTO do new hires get?");
    pto.alsoCall(["pto"], "paid time off");
    expect(namesWithout(pto, "New hires have 25 days of paid time off.")).toEqual([]);
    expect(namesWithout(pto, "Time off for new hires is paid.")).toEqual(["PTO"]);
    const paid = of("paid time off in Berlin");
    paid.alsoCall(["paid", "time", "off"], "pto");
    expect(namesWithout(paid, "PTO in Berlin")).toEqual([]);
    const named = of("Who runs information technology?");
    named.alsoCall(["information", "technology"], "it");
    expect(namesWithout(named, "She runs it well.")).toEqual(["information", "technology"]);
    expect(namesWithout(named, "She runs IT well.")).toEqual([]);
    const capitals = of("Who runs IT?");
    capitals.alsoCall(["it"], "information technology");
    expect(namesWithout(capitals, "She runs information technology.")).toEqual([]);
  });

  it("keeps a name from code whole, and matches it in any spelling, but not its words apart", () => {
    const subject = of("What does the error invalid_target mean?");
    expect(subject.query).toBe("error invalid_target ");
    for (const text of ["`invalid_target`: an error", "error: invalidTarget", "An error: invalid target"]) {
      expect(namesWithout(subject, text)).toEqual([]);
    }
    const apart = "An error: the target is invalid";
    expect(namesWithout(subject, apart)).toEqual(["invalid_target"]);
    expect(of("Where is __init__?").query).toBe("init ");
  });

  it("matches words of scripts without spaces only as a whole", () => {
    const subject = of("東京の天気");
    expect(subject.heldBy("明日の東京は雨").size).toBeGreaterThan(0);
    expect(subject.heldBy("京の東").has(0)).toBe(false);
  });
});

describe("passages", () => {
  const found = (title: string, text: string) => ({ title, excerpt: { text, ranges: [] } }) as unknown as FoundDocument;
  const picked = (question: string, ...documents: readonly FoundDocument[]) =>
    pickPassages(documents, of(question)).passages.map(({ document }) => document.title);

  it("leave out copies, and documents that match only a part of what another one matches", () => {
    const lost = "A lost badge costs 15 EUR.";
    expect(
      picked("lost badge cost", found("Badges", lost), found("Copy", lost), found("Phones", "A lost phone is wiped.")),
    ).toEqual(["Badges"]);
    expect(picked("lost badge", found("Badges", lost), found("Phones", "A lost phone."))).toEqual(["Badges"]);
  });

  it("come from several documents if the question compares subjects", () => {
    const badges = found("Badges", "A lost badge costs 15 EUR.");
    expect(
      picked(
        "Difference between a badge and a phone?",
        badges,
        found("Phones", "The helpdesk wipes a phone that is lost."),
      ),
    ).toEqual(["Badges", "Phones"]);
  });
});
