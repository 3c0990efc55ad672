import { FIND_LIMITS } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };

describe.each([FIND_LIMITS.narrow, 0])("words near each other (%i weighed)", (narrow) => {
  /** Finds documents that are put in the given order. Among equals, the newest comes first. */
  function found(
    query: string,
    bodies: Readonly<Record<string, string>>,
    titles: Readonly<Record<string, string>> = {},
  ) {
    const world = new World({ ...FIND_LIMITS, narrow });
    const put = (id: string, more: { body: string } | { title: string }) =>
      putDocument(world.store, aDocument(id, more), 1, 0);
    for (const [id, body] of Object.entries(bodies)) put(id, { body });
    for (const [id, title] of Object.entries(titles)) put(id, { title });
    return world.all(seer, { query });
  }

  const RULES = "and these are some rules of some kind for";

  it.each([
    ["in a row", `Note. Travel insurance ${RULES} you.`, `Travel ${RULES} insurance.`],
    ["with others between them", `Note. Travel with your insurance ${RULES} you.`, `Travel ${RULES} insurance, too.`],
    ["in the other order", `Note. Insurance of travel ${RULES} you.`, `Insurance ${RULES} travel.`],
    ["in other forms", `Note. Travelling insurances ${RULES} you.`, `Travelling ${RULES} insurances.`],
  ])("put a document before a shorter one that has them apart: %s", (_, near, apart) => {
    expect(found("travel insurance ", { near, apart })).toEqual(["near", "apart"]);
  });

  it("count in titles, too", () => {
    const titles = {
      near: "Travel insurance and some other rules here",
      apart: "Travel and other rules for insurance",
    };
    expect(found("travel insurance ", {}, titles)).toEqual(["near", "apart"]);
  });

  it("don't put a document with fewer of the words before one with all of them", () => {
    const bodies = {
      all: `Travel ${"text ".repeat(90)} insurance.`,
      near: "Insure the travel, insure the travelling.",
    };
    expect(found("travel insurance ", bodies)).toEqual(["all", "near"]);
  });

  it("are read in a limited number of a body's characters", () => {
    const near = (words: number) => `${`${"x".repeat(49)} `.repeat(words)} travel insurance`;
    const apart = (words: number) => `travel ${`${"x".repeat(49)} `.repeat(words)} insurance`;
    const all = FIND_LIMITS.begunCharacters / 50;
    const first = (words: number) => found("travel insurance ", { near: near(words), apart: apart(words) })[0];
    expect([first(all - 1), first(all)]).toEqual(["near", "apart"]);
  });
});
