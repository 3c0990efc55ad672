import { parseRequest } from "#client-api/search/request.ts";
import type { DocumentSearch } from "#documents/engine.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { learnNext } from "#documents/write/vocabulary.ts";
import { Finder } from "#documents/find/find.ts";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import type { Store } from "#documents/store.ts";
import { putDocument, removeDocument } from "#documents/write/documents.ts";
import { describe, expect, it, vi } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { aDocument, DATASOURCE, seerOf } from "./world.ts";

/** As much as SQLite allows for one value in production. */
const VALUE_BYTES_MAX = 2_000_000;

/** Fails as the object's database does if a value becomes too large. */
function limited(store: Store): Store {
  return {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in Store
    exec: <Row>(...call: Parameters<Store["exec"]>) => {
      const rows: readonly Row[] = store.exec(...call);
      for (const value of rows.flatMap((row) => Object.values(row as object) as unknown[])) {
        if (typeof value === "string" && Buffer.byteLength(value) > VALUE_BYTES_MAX) throw new Error("SQLITE_TOOBIG");
      }
      return rows;
    },
  };
}

const ben = seerOf("ben");

function searchFor(text: string): DocumentSearch {
  const { query: _query, cursor: _cursor, ...asked } = parseRequest({ query: text });
  return { ...asked, position: null, preferences: { languages: USUAL_LANGUAGES, recentAt: null } };
}
const WAYS = [
  ["few", FIND_LIMITS],
  ["many", { ...FIND_LIMITS, narrow: 0 }],
] as const;

describe.each(WAYS)(
  "searches of somebody who sees %s documents, beside hidden ones with long words",
  (_how, limits) => {
    const letters = (at: number, length: number) =>
      `ge${String(at)
        .padStart(6, "0")
        .replace(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "")}`.padEnd(length, "x");

    it.each([
      ["of 190,000 letters", 12, () => 190_000, 1],
      ["of 64 letters of three bytes, thousands of them", 4, () => 64, 2800],
    ])("succeed, and give the same: %s", (_what, documents, length, words) => {
      const store = new SqliteStore();
      const finder = new Finder(limited(store), limits);
      putDocument(
        store,
        aDocument("guide", {
          title: "How to get started",
          principals: [{ kind: "person", datasource: "", name: ben.email }],
        }),
        1,
        0,
      );
      const find = () => finder.find(searchFor("how do i ge"), ben).documents.map(({ externalId }) => externalId);
      const before = find();
      const rows = Array.from({ length: documents }, (_, at) => {
        const body = Array.from({ length: words }, (_word, nth) =>
          letters(at * words + nth, length()).replaceAll("x", "한"),
        );
        return putDocument(
          store,
          aDocument(`hidden ${at}`, { datasource: DATASOURCE, body: body.join(" "), principals: [] }),
          1,
          0,
        );
      });
      while (learnNext(store));
      expect(find()).toEqual(before);
      for (const row of rows) removeDocument(store, row);
      expect(find()).toEqual(before);
    });
  },
);

it("a search succeeds without completions and corrections if these fail", () => {
  const store = new SqliteStore();
  putDocument(store, aDocument("guide", { title: "How to get started" }), 1, 0);
  const log = vi.spyOn(console, "error").mockReturnValue();
  const failing: Store = {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in Store
    exec: <Row>(...call: Parameters<Store["exec"]>): readonly Row[] => {
      if (/vocabulary|impact_entries|stems/.test(call[0])) throw new Error("SQLITE_TOOBIG");
      return store.exec(...call);
    },
  };
  try {
    const page = new Finder(failing).find(searchFor("how to get strated"), ben);
    expect(page.documents.map(({ externalId }) => externalId)).toEqual(["guide"]);
    expect(log).toHaveBeenCalled();
  } finally {
    log.mockRestore();
  }
});
