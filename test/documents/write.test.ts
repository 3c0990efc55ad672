import { applyChanges } from "#documents/apply.ts";
import type { IndexableDocument, Principal } from "#documents/engine.ts";
import { Finder } from "#documents/find/find.ts";
import { describeDocument, permitDocument, putDocument, removeDocument } from "#documents/write/documents.ts";
import { isUpkeepUrgent, upkeepStep } from "#documents/upkeep/upkeep.ts";
import { setState } from "#documents/store.ts";
import { removeUnheld } from "#documents/upkeep/unheld.ts";
import { WORDS_MAX } from "#documents/write/vocabulary.ts";
import { countWords } from "#documents/write/word-counts.ts";
import { INDEXING_WORK, LEARNING_WORK, WORK } from "#documents/work.ts";
import { wordsIn } from "#documents/words.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { aDocument } from "./world.ts";

const group = (name: string): Principal => ({ kind: "group", datasource: "wiki", name });

function draft(externalId: string, more: Partial<IndexableDocument> = {}): IndexableDocument {
  return aDocument(externalId, {
    datasource: "wiki",
    title: `The title of ${externalId}`,
    body: "quarterly plans",
    ...more,
  });
}

describe("a written document", () => {
  let store: SqliteStore;
  const rowsOf = (word: string) =>
    store
      .exec<{ rowid: number }>("SELECT rowid FROM postings WHERE postings MATCH ?1 ORDER BY rowid", `"${word}"`)
      .map(({ rowid }) => rowid);
  const all = (table: string) => store.exec<Record<string, unknown>>(`SELECT * FROM ${table}`);

  beforeEach(() => {
    store = new SqliteStore();
  });

  it("is found by its words in every field", () => {
    const row = putDocument(store, draft("a", { keywords: "summary words\nlabel" }), 1, 100);
    describeDocument(store, row, { words: "approved", terms: [["k1", "approved"]] });
    expect(["title", "quarterly", "label", "approved"].map(rowsOf)).toEqual([[row], [row], [row], [row]]);
    expect(rowsOf("words label")).toEqual([]);
  });

  it("keeps its row, and its metadata's words, when it is written again", () => {
    const row = putDocument(store, draft("a"), 1, 100);
    describeDocument(store, row, { words: "approved", terms: [] });
    expect(putDocument(store, draft("a", { body: "other" }), 2, 200)).toBe(row);
    expect([rowsOf("quarterly"), rowsOf("other"), rowsOf("approved")]).toEqual([[], [row], [row]]);
    expect(all("state").find(({ name }) => name === "documents")).toEqual({ name: "documents", value: 1 });
  });

  it("isn't indexed again if it is unchanged", () => {
    putDocument(store, draft("a"), 1, 100);
    const before = [all("doc_values"), all("term_vectors"), all("state")];
    putDocument(store, draft("a"), 2, 200);
    expect([all("doc_values"), all("term_vectors"), all("state")]).toEqual(before);
    expect(all("documents")).toMatchObject([{ generation: 2, indexed_at: 200 }]);
  });

  it("leaves nothing in the index when it is removed", () => {
    const row = putDocument(store, draft("a"), 1, 100);
    removeDocument(store, row);
    expect(rowsOf("quarterly")).toEqual([]);
    expect([all("documents"), all("term_vectors")]).toEqual([[], []]);
    expect(all("state").filter(({ name }) => name === "documents" || name === "length")).toEqual([
      { name: "documents", value: 0 },
      { name: "length", value: 0 },
    ]);
  });

  it("is found by its first 200,000 characters, and not by a part of the word that is cut there", () => {
    const body = `${"information ".repeat(16_665)} lastly inexpressible unreachable`;
    const row = putDocument(store, draft("a", { title: "", body }), 1, 100);
    expect(["lastly", "inexpressi", "inexpressible", "unreachable"].map(rowsOf)).toEqual([[row], [], [], []]);
  });

  it("is found by as much as a step has time for, whatever its texts consist of", () => {
    const bodies = [
      Array.from({ length: 28_000 }, (_, at) => `w${at}x`).join(" "),
      "\ufdfa ".repeat(100_000),
      "検索\u200b".repeat(60_000),
      "a.bc ".repeat(40_000),
      "x ".repeat(100_000),
    ];
    for (const body of bodies) {
      const { work, counts } = countWords({ title: "first", keywords: "", metadata: "", body: `${body} last` });
      expect(counts.has("first")).toBe(true);
      expect(counts.has("last")).toBe(false);
      expect(work).toBeLessThan(INDEXING_WORK * 1.05);
    }
    const lines = Array.from({ length: 50_000 }, (_, at) => (at % 7 === 0 ? "" : "ab"));
    expect(countWords({ title: "", keywords: lines.join("\n"), metadata: "", body: "" }).work).toBeLessThan(
      INDEXING_WORK * 1.05,
    );
  });

  it("leaves the words to the alarm for which its step has no time", () => {
    const words = Array.from({ length: 1250 }, (_, at) => `w${at}x`);
    putDocument(store, draft("a", { title: "", body: words.join(" ") }), 1, 100);
    const known = () => all("vocabulary").length;
    const inStep = known();
    expect(inStep).toBeLessThan(LEARNING_WORK / WORK.learnt);
    while (isUpkeepUrgent(store)) {
      const before = known();
      upkeepStep(store, 0);
      expect(known() - before).toBeLessThan(LEARNING_WORK / WORK.learnt);
    }
    expect([known(), all("unlearnt").length]).toEqual([1250, 0]);
  });

  it("shares this time with the other documents of its step", () => {
    const bodies = ["x", "y"].map((letter) => Array.from({ length: 300 }, (_, at) => `${letter}${at}`).join(" "));
    const put = bodies.map((body, at) => ({ act: "put", document: draft(String(at), { title: "", body }) }) as const);
    applyChanges(store, put, 100);
    expect(all("vocabulary").every(({ word }) => String(word).startsWith("x"))).toBe(true);
    while (isUpkeepUrgent(store)) upkeepStep(store, 100);
    expect([all("vocabulary").length, all("unlearnt").length]).toEqual([600, 0]);
  });

  it("puts no word of more than 64 letters into the index or the vocabulary, and is found by its beginning", () => {
    const body = ["a".repeat(190_000), "𐐨".repeat(80), "b".repeat(64)].join(" ");
    const row = putDocument(store, draft("a", { title: "", body }), 1, 100);
    while (isUpkeepUrgent(store)) upkeepStep(store, 100);
    store.exec("CREATE VIRTUAL TABLE impact_entries USING fts5vocab (impacts, instance)");
    const words = ["vocabulary", "impact_entries"].flatMap((table) =>
      store
        .exec<{ word: string }>(`SELECT DISTINCT ${table === "vocabulary" ? "word" : "term AS word"} FROM ${table}`)
        .map(({ word }) => word.replace(/[\ue000-\uf8ff]\d*/g, "")),
    );
    expect(words.filter((word) => word.length > 64)).toEqual([]);
    expect(rowsOf("a".repeat(64))).toEqual([row]);
    expect(wordsIn("a".repeat(190_000))).toEqual(["a".repeat(64)]);
    expect(wordsIn("𐐨".repeat(80))).toEqual(["𐐨".repeat(32)]);
  });

  it("adds no word to a full vocabulary, which removes those that no document has", () => {
    const row = putDocument(store, draft("a", { body: "leaving" }), 1, 100);
    removeDocument(store, row);
    setState(store, "words", WORDS_MAX);
    const late = putDocument(store, draft("b", { body: "belated" }), 1, 100);
    expect(rowsOf("belated")).toEqual([late]);
    const known = () => all("vocabulary").map(({ word }) => word);
    expect(known()).toEqual(["the", "title", "of", "a", "leaving"]);
    while (!removeUnheld(store, 0));
    expect(known()).toEqual(["the", "title", "of"]);
    expect(all("stems").map(({ stem }) => stem)).toEqual(["the", "titl"]);
  });

  it("has permissions whose long list is removed in steps if unused, and gets a new list if written again meanwhile", () => {
    const finder = new Finder(store);
    const groups = Array.from({ length: 5000 }, (_, at) => group(`g${at}`));
    const sees = (id: string, name: string) =>
      finder.maySee("wiki", id, { email: "ada@acme.example", directoryGroups: [name] });
    const put = (id: string) => putDocument(store, draft(id, { principals: groups }), 1, 100);
    const named = () => all("access_class_principals").length;
    const first = put("a");
    putDocument(store, draft("other", { principals: [group("g0")] }), 1, 100);
    removeDocument(store, first);
    for (let before = named(); named() > 2001; before = named()) {
      removeUnheld(store, 0);
      expect(before - named()).toBeLessThanOrEqual(2000);
    }
    put("b");
    expect(["g0", "g4999"].map((name) => sees("b", name))).toEqual([true, true]);
    while (!removeUnheld(store, 0));
    expect([named(), all("access_classes").length]).toEqual([5000, 2]);
    finder.maySee("wiki", "b", { email: "ada@acme.example", directoryGroups: [] });
    expect([sees("b", "g0"), sees("b", "g4999"), sees("other", "g0")]).toEqual([true, true, true]);
  });

  it("has a type that filters find, one of at most a thousand of its datasource", () => {
    store.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
       INSERT INTO kinds (datasource, object_type) SELECT 'wiki', 't' || i FROM n`,
    );
    for (const type of ["Last", "Late", "Later"]) putDocument(store, draft(type, { objectType: type }), 1, 100);
    expect(all("kinds").slice(999)).toMatchObject([{ object_type: "last" }, { object_type: "" }]);
  });

  it("shares a class with every document of the same principals, in whatever order they are given", () => {
    const one = putDocument(store, draft("a", { principals: [group("x"), group("y")] }), 1, 100);
    const other = putDocument(store, draft("b", { principals: [group("y"), group("x")] }), 1, 100);
    permitDocument(store, one, [], 100);
    expect(all("access_classes")).toHaveLength(1);
    expect(all("documents")).toMatchObject([
      { id: one, access_class: 0 },
      { id: other, access_class: 1 },
    ]);
  });
});
