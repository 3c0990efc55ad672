import { counted, wordsOf } from "#messages/catalogue.ts";
import { describe, expect, it } from "vitest";

const english = wordsOf("en", { texts: {}, sentences: {} });

const german = wordsOf("de", {
  texts: {
    "{0} waits for {1}": "Auf {1} wartet {0}",
    "{0|person|people} of {1}": "Von {1}: {0|Person|Personen}",
    "No matches": "Keine Treffer",
  },
  sentences: {
    "{0} failed": "{0}: fehlgeschlagen",
    "{0|check|checks} failed (of 2)": "{0|Prüfung|Prüfungen} fehlgeschlagen (von 2)",
    "It says “{0}” to {1}": "Sagt zu {1} „{0}“",
    "{0} ended {1}’s access for {2}": "{0} hat den Zugriff von {1} für {2} beendet",
    "Delete “{0}”?": "„{0}“ löschen?",
    "the app {0}": "die App {0}",
  },
});

describe("a text of the console", () => {
  it("is in English if there is no catalogue, or the catalogue lacks it", () => {
    for (const { t } of [english, german]) expect(t`${"Ada"} reads ${2}`).toBe("Ada reads 2");
  });

  it("has its values where its language needs them", () => {
    expect(german.t`${"Ada"} waits for ${"Ben"}`).toBe("Auf Ben wartet Ada");
  });

  it("is a list of nodes if a value is an element", () => {
    const element = { tag: "bdi" };
    expect(german.t`${"Ada"} waits for ${element}`).toEqual(["Auf ", element, " wartet ", "Ada", ""]);
  });

  it("counts in its language", () => {
    const of = (count: number) => german.t`${counted(count, "person", "people")} of ${1234}`;
    expect([of(1), of(2345)]).toEqual(["Von 1.234: 1 Person", "Von 1.234: 2.345 Personen"]);
    expect(english.t`${counted(1, "app")}, ${counted(1234, "app")}`).toBe("1 app, 1,234 apps");
  });
});

describe("a text from another room", () => {
  it("is found by its words", () => {
    expect(german.known("No matches")).toBe("Keine Treffer");
    expect(german.known("It says “” to Ben")).toBe("Sagt zu Ben „“");
    expect(german.known("It says “{1}.*” to Ben\nBerg")).toBe("Sagt zu Ben\nBerg „{1}.*“");
  });

  it("counts in the page’s language", () => {
    const failed = (count: string) => german.known(`${count} failed (of 2)`);
    expect([failed("1 check"), failed("1,234 checks")]).toEqual([
      "1 Prüfung fehlgeschlagen (von 2)",
      "1.234 Prüfungen fehlgeschlagen (von 2)",
    ]);
  });

  it("doesn’t take a name for the words around it", () => {
    const name = "the app “Z’s access for boss@acme.example”";
    expect(german.known(`ada ended ben’s access for ${name}`)).toBe(
      "ada hat den Zugriff von ben für die App “Z’s access for boss@acme.example” beendet",
    );
    expect(german.known("Delete “2 checks failed (of 2)”?")).toBe("„2 checks failed (of 2)“ löschen?");
  });

  it("stays as it is if the catalogue doesn’t have it", () => {
    expect(german.known("constructor")).toBe("constructor");
    expect(german.known("Nothing")).toBe("Nothing");
  });
});
