import { neighboursOf } from "#documents/neighbours.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };
const others = [{ kind: "person", datasource: "", name: "ben@acme.example" }] as const;

/** Ids of what is found, and the words that were spelt otherwise. */
function found(limits: FindLimits, query: string, shown: readonly string[], hidden: readonly string[] = []) {
  const world = new World(limits);
  for (const body of hidden) putDocument(world.store, aDocument(`hidden ${body}`, { body, principals: others }), 1, 0);
  for (const body of shown) putDocument(world.store, aDocument(body, { body }), 1, 0);
  return [world.all(seer, { query }), world.page(seer, { query }).correctedWords];
}

describe.each([
  ["all that somebody may see is weighed", FIND_LIMITS],
  ["the index chooses what is weighed", { ...FIND_LIMITS, narrow: 0 }],
])("a misspelt word, where %s", (_, limits) => {
  it.each(["pasword", "paswsord", "passwrod", "passsword", "pessword"])("finds what was meant: %s", (query) => {
    const corrected = neighboursOf(query).includes("password");
    expect(found(limits, `${query} `, ["password"])).toEqual(
      corrected ? [["password"], [{ typed: query, found: "password" }]] : [[], []],
    );
  });

  it("is the spelling of most documents", () => {
    const documents = ["the leash", "a leave", "one leave", "some larve"];
    expect(found(limits, "laeve ", documents)[1]).toEqual([{ typed: "laeve", found: "leave" }]);
    expect(found(limits, "larze ", documents)[1]).toEqual([{ typed: "larze", found: "larve" }]);
  });

  it("is what was typed where a document has that, in quotes, in numbers and in short words", () => {
    expect(found(limits, "leaves ", ["leaves", "leaven"])).toEqual([["leaves"], []]);
    expect(found(limits, '"pasword"', ["password"])).toEqual([[], []]);
    expect(found(limits, "12345 ", ["12346"])).toEqual([[], []]);
    expect(found(limits, "tide ", ["tidy"])).toEqual([[], []]);
  });

  it("is neither corrected nor kept from it by what only others may read", () => {
    expect(found(limits, "budgte ", ["plans"], ["budget"])).toEqual([[], []]);
    expect(found(limits, "budgte ", ["budget"], ["budgte"])).toEqual([
      ["budget"],
      [{ typed: "budgte", found: "budget" }],
    ]);
    expect(found(limits, "harbur ", ["harbor"], ["harbour one", "harbour two"])[1]).toEqual([
      { typed: "harbur", found: "harbor" },
    ]);
  });
});

it("is corrected from what somebody may see alone, however many neighbours only others have", () => {
  const planted = neighboursOf("budgte").slice(0, 60);
  expect(found(FIND_LIMITS, "budgte ", ["budget"], planted)[1]).toEqual([{ typed: "budgte", found: "budget" }]);
});

it("is corrected alike whether or not others have one more neighbour, where the index chooses", () => {
  const wide = { ...FIND_LIMITS, narrow: 0 };
  const [secret = "", ...near] = neighboursOf("budgte").slice(0, 31);
  const last = near.at(-1) ?? "";
  const shown = [...near, `${last} again`];
  const corrected = [{ typed: "budgte", found: last }];
  expect(found(wide, "budgte ", shown, ["other"])[1]).toEqual(corrected);
  expect(found(wide, "budgte ", shown, [secret])[1]).toEqual(corrected);
});

it("is one of the first five of a query: each costs a thousand words beside it", () => {
  const query = ["budgte", "harbur", "passwrod", "leaevs", "mergre", "invocie"].join(" ");
  const shown = ["budget harbor password leaves merger invoice"];
  expect(found(FIND_LIMITS, `${query} `, shown)[1]).toHaveLength(5);
});
