import { parseQuery } from "#client-api/search/query.ts";
import { Finder } from "#documents/find/find.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { compoundsIn, symbolIn } from "#documents/compounds.ts";
import { datesIn } from "#documents/written-dates.ts";
import { indexable, wordsIn } from "#documents/words.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, seerOf, World } from "./world.ts";

describe("compound words of a text", () => {
  it.each([
    ["deploy node.js today", ["nodejs"]],
    ["set max_retry_count", ["maxretrycount"]],
    ["maxRetryCount of HTTPServerError", ["max", "retry", "count", "http", "server", "error"]],
    ["JavaScript and iPhone", []],
    ["they don’t e-mail O'Reilly", ["dont", "email", "oreilly"]],
    ["a read-only, state-of-the-art plan. Done", ["readonly"]],
    ["TCP/IP, I/O, R&D and CI/CD; not src/app or Mac/PC/Linux", ["tcpip", "io", "rd", "cicd"]],
    ["C++, C# and F#, not C", ["c++", "c#", "f#"]],
    [".NET and ASP.NET", [".net", "aspnet"]],
    ["from v2.14.3 to 3.0.", ["2.14", "2.14.3", "3.0"]],
    ["ship it 🚀✅", ["🚀", "✅"]],
    [
      "--Force, (--allow-empty-message) and --jobs=4; not <!-- a --->, a--b or --a-",
      ["--force", "--allow-empty-message", "--jobs"],
    ],
    ["ISO 27001 and SOC 2, not EUR 1,500 or XISO 9001a", ["1500", "iso27001", "soc2"]],
    ["how to log in, set up or Sign up; not a blog in the sign", ["login", "setup", "signup"]],
    ["1,500.00 or 2 000 000 or €1.299,00, not 12,50", ["500.00", "1.299", "1500", "2000000", "1299"]],
    ["aGVsbG8gd29ybGQhIHRoaXMgaXMgYSB0ZXN0IG9mIGVuY29kZWQ", []],
  ])("are in %j: %j", (text, words) => {
    expect(compoundsIn(text).map(({ word }) => word)).toEqual(words);
    for (const { word, start, end } of compoundsIn(text)) {
      expect([word, wordsIn(text.slice(start, end)).join("")].map((one) => one.replace(/\W/g, ""))[1]).toContain(
        word.replace(/\W/g, ""),
      );
    }
  });

  it.each([
    "2024-03-14",
    "2024/3/14",
    "14.03.2024",
    "14.3.2024",
    "14/03/2024",
    "03/14/2024",
    "March 14, 2024",
    "14th of March 2024",
    "Mar. 14 2024",
    "14. März 2024",
    "14 de marzo de 2024",
    "14 mars 2024",
  ])("include one name for a day: %j", (day) => {
    expect(compoundsIn(`On ${day}, we met`).map(({ word }) => word)).toContain("20240314");
    expect(datesIn(`on ${day}.`)).toEqual([{ word: "20240314", start: 3, end: 3 + day.length }]);
  });

  it("include no name for what is not a day, and two if day and month could be swapped", () => {
    expect(datesIn("31.13.2024, 10.0.0.1, 1.2.3.2024, 2024-00-10, at 14 people 2024, 12345-03-14")).toEqual([]);
    expect(datesIn("03/04/2024").map(({ word }) => word)).toEqual(["20240403", "20240304"]);
  });

  it("are limited to about 5,000 of a text", () => {
    const joined = compoundsIn("aB ".repeat(60_000));
    expect(joined.length).toBeLessThanOrEqual(5010);
    expect(compoundsIn("a.".repeat(100_000)).length).toBeLessThanOrEqual(5010);
  });

  it.each([
    ["C++", "c++"],
    ["(.NET)", ".net"],
    ["v2.3,", "2.3"],
    ["don't", "dont"],
    ["❤️", "❤"],
    ["node.js", null],
    ["plan.", null],
    ["company's", null],
  ])("are searched by %j as %j", (typed, word) => {
    expect(symbolIn(typed)).toBe(word);
  });

  it("of a query don't include the letters after an apostrophe", () => {
    expect(parseQuery("company's plan ").map(({ text }) => text?.words)).toEqual([["company"], ["plan"]]);
  });
});

it("a name is found however it is written", () => {
  const world = new World();
  const texts = {
    dot: "node.js",
    one: "nodejs",
    camel: "maxRetryCount",
    snake: "max_retry_count",
    cpp: "C++",
    c: "C lang",
  };
  for (const [id, body] of Object.entries(texts)) {
    putDocument(world.store, aDocument(id, { title: "A", body: indexable(body) }), 1, 0);
  }
  const found = (query: string) => world.all(seerOf("ben"), { query }).toSorted();
  for (const query of ["nodejs ", "node.js "]) expect(found(query)).toEqual(["dot", "one"]);
  for (const query of ["maxRetryCount ", "max_retry_count ", "max retry count ", "retry "]) {
    expect([query, found(query)]).toEqual([query, ["camel", "snake"]]);
  }
  expect(found("c++ ")).toEqual(["cpp"]);
  world.store.close();
});

/** Returns a search of documents of one sentence each. It gives ids, best first. */
function finds(texts: Readonly<Record<string, string>>): (query: string) => readonly string[] {
  const world = new World();
  for (const [id, body] of Object.entries(texts)) {
    putDocument(world.store, aDocument(id, { title: "A", body: indexable(`we note ${body} here`) }), 1, 0);
  }
  return (query) => world.all(seerOf("ben"), { query: `${query} ` });
}

it("a day is found however it is written, before any other day", () => {
  const found = finds({ iso: "2024-03-14", german: "14.03.2024", english: "March 14, 2024", other: "2024-03-15" });
  for (const query of ["2024-03-14", "14.03.2024", "14.3.2024", "March 14, 2024", "14 March 2024", "03/14/2024"]) {
    expect([query, found(query).slice(0, 3).toSorted()]).toEqual([query, ["english", "german", "iso"]]);
  }
});

it("a verb and the word after it are found as one word and with a hyphen", () => {
  const found = finds({ one: "the login", hyphen: "the log-in", two: "how to log in", other: "log files" });
  expect(found("log in").toSorted()).toEqual(["hyphen", "one", "other", "two"]);
  expect(found("login").toSorted()).toEqual(["hyphen", "one", "two"]);
});

it.each([
  ["login", "logged in"],
  ["Lodz", "Łódź"],
  ["Łódź", "Lodz"],
  ["smorrebrod", "smørrebrød"],
  ["oeuvre", "œuvres"],
  ["iso27001", "ISO 27001"],
  ["iso 27001", "ISO27001"],
])("searching %j finds %j", (typed, written) => {
  expect(finds({ written, other: "nothing" })(typed)).toEqual(["written"]);
});

it.each([
  ["child", "children"],
  ["women", "woman"],
  ["write", "wrote"],
  ["written", "write"],
  ["indices", "index"],
  ["colour", "color"],
  ["organization", "organisation"],
  ["analyse", "analyzed"],
  ["licence", "license"],
  ["catalog", "catalogue"],
])("irregular English forms and spelling variants are found: %j finds %j", (typed, written) => {
  expect(finds({ written, other: "nothing" })(typed)).toEqual(["written"]);
});

describe("a compound that few documents have", () => {
  const texts = {
    whole: "die Lohnabrechnung",
    apart: "die Abrechnung kommt mit dem Lohn",
    linked: "jede Arbeit hat ihre Zeit",
    wage: "der Lohn",
    english: "a sheet of the paper that was for this and is with us",
  };

  it.each([
    ["Lohnabrechnung", ["whole", "apart"]],
    ["Arbeitszeit", ["linked"]],
    ["Abrechnungslohn", ["apart"]],
    // Nobody joins these in English.
    ["papersheet", []],
    // Words that only join others, and short ones, say nothing about the whole.
    ["therein", []],
    ["jedelohn", []],
  ])("finds the words of which it consists, wherever they are: %s", (query, ids) => {
    const world = new World();
    for (const [id, body] of Object.entries(texts)) {
      putDocument(world.store, aDocument(id, { title: "A", body: indexable(`${body}, there in it`) }), 1, 0);
    }
    for (const narrow of [FIND_LIMITS.narrow, 0]) {
      const preferences = { languages: ["de"] as const, recentAt: null };
      const { documents, missingWords } = world.page(
        seerOf("ben"),
        { query: `${query} ` },
        { preferences },
        new Finder(world.store, { ...FIND_LIMITS, narrow }),
      );
      expect([documents.map(({ externalId }) => externalId), missingWords]).toEqual([ids, []]);
      if (ids.includes("apart")) {
        const marked = documents.find(({ externalId }) => externalId === "apart")?.excerpt;
        expect(marked?.ranges.map(([start, end]) => marked.text.slice(start, end))).toEqual(["Abrechnung", "Lohn"]);
      }
    }
    world.store.close();
  });

  it("is read as one word if enough documents have it", () => {
    const world = new World();
    const german = "der die das und ist nicht mit von";
    for (let at = 0; at < 3; at++) {
      putDocument(world.store, aDocument(`whole${at}`, { title: "A", body: `${german} Lohnzettel` }), 1, 0);
    }
    putDocument(world.store, aDocument("apart", { title: "A", body: `${german} Zettel Lohn Steuer` }), 1, 0);
    expect(world.all(seerOf("ben"), { query: "lohnzettel " })).toHaveLength(3);
    expect(world.all(seerOf("ben"), { query: "lohnsteuer " })).toEqual(["apart"]);
    world.store.close();
  });
});
