import { FIND_LIMITS } from "#documents/find/limits.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelDocument } from "../support/search-model.ts";
import { asked, document, requestOf, world } from "../support/search-worlds.ts";
import { DATASOURCE, seerOf, World } from "./world.ts";

/** Nobody who asks is one of these. */
const hidden = { users: ["zoe@acme.example"], groups: [], intersections: [], everyone: false } as const;

/** Words that crowd the vocabulary: completions and forms of what people ask for. */
const crowd = fc.array(
  fc.tuple(
    fc.constantFrom("pl", "pla", "plan", "bud", "re"),
    fc.oneof(
      fc.constantFrom("s", "ed", "ing"),
      fc.nat(30).map((at) => `a${at}`),
    ),
  ),
  { minLength: 40, maxLength: 80 },
);

describe("what somebody may not see", () => {
  it("changes nothing of what they find: order, excerpts, facets, pages or missing words", () => {
    const both = fc.record({
      model: world,
      others: fc.array(fc.record({ document, crowd, at: fc.oneof(fc.constant(0), fc.nat(20)) }), {
        minLength: 1,
        maxLength: 12,
      }),
      searches: fc.array(asked, { minLength: 60, maxLength: 80 }),
    });
    fc.assert(
      fc.property(both, ({ model, others, searches }) => {
        const alone = World.of(model);
        const among = World.of({ ...model, documents: [] });
        const planted = others.map(({ document: one, crowd: words, at }) => ({
          at,
          document: {
            ...one,
            ...hidden,
            title: [...words.map((parts) => parts.join("")), ...one.title],
          } as ModelDocument,
        }));
        for (const [id, one] of model.documents.entries()) {
          for (const [place, { at, document: other }] of planted.entries())
            if (at === id) among.put(`hidden${place}`, other);
          among.put(String(id), one);
        }
        for (const one of searches) {
          const body = { ...requestOf(one, DATASOURCE), pageSize: one.pageSize };
          const seen = (of: World) => {
            const { next, ...page } = of.page(seerOf(one.name), body, { facetBuckets: 10 });
            return { ...page, hasNext: next !== null, all: of.all(seerOf(one.name), body) };
          };
          expect([body, one.name, seen(among)]).toEqual([body, one.name, seen(alone)]);
        }
        alone.store.close();
        among.store.close();
      }),
      { numRuns: 12, seed: 5, endOnFailure: true },
    );
  });

  it.each([
    ["few documents", FIND_LIMITS],
    ["many documents", { ...FIND_LIMITS, narrow: 0 }],
  ])("takes no place among the completions of whoever sees %s", (_who, limits) => {
    const written = new World(limits);
    const plain = { body: [], tag: null, type: "Page", author: null, updatedDay: null, values: null } as const;
    for (let at = 0; at < 40; at++) written.put(`hidden${at}`, { ...plain, ...hidden, title: [`pla${at}`] });
    written.put("seen", { ...plain, ...hidden, users: ["ben@acme.example"], title: ["planning"] });
    expect(written.all(seerOf("ben"), { query: "pla" })).toEqual(["seen"]);
    written.store.close();
  });
});
