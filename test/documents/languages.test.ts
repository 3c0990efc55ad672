import { learnLanguages, learnWords, takeUpLanguages } from "#documents/write/vocabulary.ts";
import { describe, expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";

describe("a language that an instance takes up", () => {
  const forms = (store: SqliteStore, language: string) =>
    store.exec<{ n: number }>("SELECT count(*) AS n FROM stems WHERE language = ?1", language)[0]?.n ?? 0;

  it("is learnt in steps, while words are written, and once", () => {
    const store = new SqliteStore();
    learnWords(
      store,
      Array.from({ length: 1200 }, (_, at) => `maschine${at}n`),
    );
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
