import { describe, expect, it } from "vitest";
import { FIND_LIMITS } from "#documents/find/limits.ts";
import { neighboursOf } from "#documents/neighbours.ts";
import { wordHash } from "#documents/word-hash.ts";
import { aDocument } from "../documents/world.ts";
import { PostgresWorld } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };
const others = [{ kind: "person", datasource: "", name: "ben@acme.example" }] as const;

describe.each([
  ["all that somebody may see is weighed", FIND_LIMITS],
  ["the index chooses what is weighed", { ...FIND_LIMITS, narrow: 0 }],
  ["the index chooses, and nothing is read to its end", { ...FIND_LIMITS, narrow: 0, sample: 40, together: 0 }],
])("a misspelt word on PostgreSQL, if %s", (_, limits) => {
  /** Returns the ids of what is found, and the words that were corrected. */
  async function found(query: string, shown: readonly string[], hidden: readonly string[] = [], wordKey?: string) {
    const world = await PostgresWorld.begin(limits);
    if (wordKey) await world.rows("UPDATE instances SET word_key = $2::uuid WHERE instance_id = $1", wordKey);
    const put = (name: string, document: Parameters<typeof aDocument>[1]) =>
      ({ act: "put", document: aDocument(name, document) }) as const;
    await world.engine.apply(world.instanceId, [
      ...hidden.map((body) => put(`hidden ${body}`, { body, principals: others })),
      ...shown.map((body) => put(body, { body })),
    ]);
    return [await world.all(seer, { query }), (await world.page(seer, { query })).correctedWords];
  }

  it("is corrected to the spelling of most documents that the person may see, and others' documents change nothing", async () => {
    expect(await found("laeve ", ["the leash", "a leave", "one leave", "some larve"])).toEqual([
      expect.arrayContaining(["a leave", "one leave"]),
      [{ typed: "laeve", found: "leave" }],
    ]);
    expect(await found("budgte ", ["plans"], ["budget"])).toEqual([[], []]);
    const budget = [["budget"], [{ typed: "budgte", found: "budget" }]];
    expect(await found("budgte ", ["budget"], ["budgte"])).toEqual(budget);
    expect(await found("budgte ", ["budget"], neighboursOf("budgte").slice(0, 10))).toEqual(budget);
  });

  it("is not corrected to a word that only others may read, even if the index has one number for it and another word", async () => {
    const key = [0x01234567, 0x89abcdef];
    const wordKey = "01234567-0000-4000-8000-000089abcdef";
    expect(wordHash(key)("budgthe")).toBe(wordHash(key)("qzzmyta"));
    expect(neighboursOf("budgte")).toContain("budgthe");
    for (const hidden of [[], ["budgthe"], ["budgthe one", "budgthe two"]]) {
      expect(await found("budgte ", ["qzzmyta"], hidden, wordKey)).toEqual([[], []]);
      expect(await found("budgte ", ["qzzmyta one", "qzzmyta two", "budget"], hidden, wordKey)).toEqual([
        ["budget"],
        [{ typed: "budgte", found: "budget" }],
      ]);
    }
  });

  it("is corrected to a word that a document has in two parts", async () => {
    expect(await found("pasword ", ["the pass-word"])).toEqual([
      ["the pass-word"],
      [{ typed: "pasword", found: "password" }],
    ]);
  });

  it("is not corrected if a document has it, or in quotes", async () => {
    expect(await found("leaves ", ["leaves", "leaven"])).toEqual([["leaves"], []]);
    expect(await found('"pasword"', ["password"])).toEqual([[], []]);
  });
});
