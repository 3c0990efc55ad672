import { neighboursOf } from "#documents/neighbours.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };
const others = [{ kind: "person", datasource: "", name: "ben@acme.example" }] as const;

/** Returns the ids of what is found, and the words that were corrected. */
function found(limits: FindLimits, query: string, shown: readonly string[], hidden: readonly string[] = []) {
  const world = new World(limits);
  for (const body of hidden) putDocument(world.store, aDocument(`hidden ${body}`, { body, principals: others }), 1, 0);
  for (const body of shown) putDocument(world.store, aDocument(body, { body }), 1, 0);
  return [world.all(seer, { query }), world.page(seer, { query }).correctedWords];
}

describe.each([
  ["all that somebody may see is weighed", FIND_LIMITS],
  ["the index chooses what is weighed", { ...FIND_LIMITS, narrow: 0 }],
])("a misspelt word, if %s", (_, limits) => {
  it.each(["pasword", "paswsord", "passwrod", "passsword", "pessword"])(
    "finds the word that is one mistake away, and no other: %s",
    (query) => {
      const corrected = neighboursOf(query).includes("password");
      expect(found(limits, `${query} `, ["password"])).toEqual(
        corrected ? [["password"], [{ typed: query, found: "password" }]] : [[], []],
      );
    },
  );

  it("is corrected to the spelling of most documents", () => {
    const documents = ["the leash", "a leave", "one leave", "some larve"];
    expect(found(limits, "laeve ", documents)[1]).toEqual([{ typed: "laeve", found: "leave" }]);
    expect(found(limits, "larze ", documents)[1]).toEqual([{ typed: "larze", found: "larve" }]);
  });

  it("is not corrected if a document has it, in quotes, in numbers or in short words", () => {
    expect(found(limits, "leaves ", ["leaves", "leaven"])).toEqual([["leaves"], []]);
    expect(found(limits, '"pasword"', ["password"])).toEqual([[], []]);
    expect(found(limits, "12345 ", ["12346"])).toEqual([[], []]);
    expect(found(limits, "tide ", ["tidy"])).toEqual([[], []]);
  });

  it("is corrected regardless of what only others may read", () => {
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

it("a misspelt word is corrected to what somebody may see, however many similar words only others have", () => {
  const planted = neighboursOf("budgte").slice(0, 60);
  expect(found(FIND_LIMITS, "budgte ", ["budget"], planted)[1]).toEqual([{ typed: "budgte", found: "budget" }]);
});

it("a misspelt word is corrected the same whether or not others have another similar word, if the index chooses", () => {
  const wide = { ...FIND_LIMITS, narrow: 0 };
  const [secret = "", ...near] = neighboursOf("budgte").slice(0, 31);
  const last = near.at(-1) ?? "";
  const shown = [...near, `${last} again`];
  const corrected = [{ typed: "budgte", found: last }];
  expect(found(wide, "budgte ", shown, ["other"])[1]).toEqual(corrected);
  expect(found(wide, "budgte ", shown, [secret])[1]).toEqual(corrected);
});

it("only the first five misspelt words of a query are corrected, because each costs a thousand other words", () => {
  const query = ["budgte", "harbur", "passwrod", "leaevs", "mergre", "invocie"].join(" ");
  const shown = ["budget harbor password leaves merger invoice"];
  expect(found(FIND_LIMITS, `${query} `, shown)[1]).toHaveLength(5);
});
