import { FIND_LIMITS } from "#documents/find/limits.ts";
import { MANY_DOCUMENTS } from "#documents/find/rank/weights.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };

const SCATTERED = `Travel ${"text ".repeat(80)} insurance ${"text ".repeat(80)} abroad ${"text ".repeat(80)}`;
const ANSWER = "Travel insurance";

function worldOf(bodies: Readonly<Record<string, string>>, narrow: number): World {
  const world = new World({ ...FIND_LIMITS, narrow });
  for (const [id, body] of Object.entries(bodies))
    putDocument(world.store, aDocument(id, body === ANSWER ? { title: ANSWER } : { body }), 1, 0);
  return world;
}

describe.each([FIND_LIMITS.narrow, 0])("a query of three words (%i weighed)", (narrow) => {
  const found = (query: string, bodies: Readonly<Record<string, string>>) =>
    worldOf(bodies, narrow).all(seer, { query });

  it("finds a document about two of them before one that mentions all of them", () => {
    const bodies = { answer: ANSWER, scattered: SCATTERED };
    expect(found("travel insurance abroad ", bodies)).toEqual(["answer", "scattered"]);
    expect(found("travel abroad ", bodies)).toEqual(["scattered", "answer"]);
    expect(found('travel insurance "abroad" ', bodies)).toEqual(["scattered"]);
  });

  it("finds documents with all of them first if there are many of these", () => {
    const many = Array.from({ length: MANY_DOCUMENTS }, (_, at) => [`scattered ${at}`, SCATTERED] as const);
    const ids = found("travel insurance abroad ", { answer: ANSWER, ...Object.fromEntries(many) });
    expect([ids.length, ids.indexOf("answer")]).toEqual([MANY_DOCUMENTS + 1, MANY_DOCUMENTS]);
  });

  it("finds a word as it was typed before its other forms", () => {
    const bodies = { typed: "The overdue invoices.", other: "An overdue invoice." };
    expect(found("overdue invoices zeppelin ", bodies)).toEqual(["typed", "other"]);
  });

  it("counts in facets what has all of them if that fills a page, and otherwise all that is found", () => {
    const world = worldOf({ answer: ANSWER, scattered: SCATTERED }, narrow);
    const counts = (pageSize: number) => {
      const request = { query: "travel insurance abroad ", pageSize, requestOptions: { facetBucketSize: 3 } };
      return new Set(world.page(seer, request).facets.flatMap(({ buckets }) => buckets.map(({ count }) => count)));
    };
    expect(counts(1)).toEqual(new Set([1]));
    expect(counts(2)).toEqual(new Set([2]));
  });
});
