import { learnLanguages, learnWords, takeUpLanguages } from "#documents/write/vocabulary.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { aDocument, World } from "./world.ts";

describe("a language that is added to an instance", () => {
  const forms = (store: SqliteStore, language: string) =>
    store.exec<{ n: number }>("SELECT count(*) AS n FROM stems WHERE language = ?1", language)[0]?.n ?? 0;

  it("is learnt in steps, while words are written, and only once", () => {
    const store = new SqliteStore();
    const words = Array.from({ length: 1200 }, (_, at) => `maschine${at}n`);
    for (let left: readonly string[] = words, steps = 0; left.length > 0; steps++) {
      expect(words.length - left.length === 0).toBe(steps === 0);
      left = learnWords(store, left);
    }
    expect(forms(store, "de")).toBe(0);
    expect(takeUpLanguages(store, ["de", "en"])).toBe(true);
    expect(takeUpLanguages(store, ["de"])).toBe(false);
    expect(learnLanguages(store)).toBe(false);
    expect(forms(store, "de")).toBe(500);
    learnWords(store, ["häuser"]);
    let steps = 1;
    while (!learnLanguages(store)) steps += 1;
    expect(steps).toBe(3);
    expect(forms(store, "de")).toBe(1201);
    expect(forms(store, "en")).toBe(1201);
  });
});

describe("another spelling", () => {
  const seer = { email: "ada@acme.example", directoryGroups: [] };

  it.each([
    ["two words for one", "en", "web site", ["site"]],
    ["the parts of a name in code", "en", "sqlite store", ["code"]],
    ["umlauts as two letters", "de", "mueller strasse ", ["umlauts", "letters"]],
    ["two letters as umlauts", "de", "Müller Strasse ", ["letters", "umlauts"]],
    ["in quotes nothing else", "de", '"mueller"', ["letters"]],
    ["umlauts only in German", "en", "mueller", ["letters"]],
  ] as const)("finds %s", (_what, language, query, expected) => {
    const world = new World();
    const titles = { site: "Our website", code: "SqliteStore", letters: "Mueller, Street", umlauts: "Müller" };
    for (const [id, title] of Object.entries(titles)) putDocument(world.store, aDocument(id, { title }), 1, 0);
    const found = world.page(seer, { query }, { preferences: { languages: [language], recentAt: null } });
    expect(found.documents.map(({ externalId }) => externalId).sort()).toEqual([...expected].sort());
    world.store.close();
  });
});
