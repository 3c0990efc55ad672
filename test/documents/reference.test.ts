import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../support/any-text.ts";
import { answers, mayRead, type ModelDocument, type ModelQuery, WORDS } from "../support/search-model.ts";
import {
  asked,
  emailOf,
  INJECTIONS,
  type Name,
  name,
  PEOPLE,
  promisesOf,
  requestOf,
  world,
} from "../support/search-worlds.ts";
import { DATASOURCE, seerOf, TINY_LIMITS, World, WORLDS } from "./world.ts";

/** In each world, under each limits. */
const SEARCHES = 90;

describe.each([
  ["all at once", undefined],
  ["step by step", TINY_LIMITS],
])("search against a plain evaluation of what it promises, %s", { timeout: 300_000 }, (_how, limits) => {
  it("finds all that has every word, first; behind it what has some; and nothing that the person may not see", () => {
    const whole = fc.record({
      model: world,
      isMarked: fc.boolean(),
      searches: fc.array(asked, { minLength: SEARCHES, maxLength: SEARCHES }),
      injections: fc.array(
        fc.record({
          who: name,
          query: fc
            .array(fc.oneof(fc.constantFrom(...INJECTIONS, ...WORDS), anyText), { minLength: 1, maxLength: 3 })
            .map((parts) => parts.join(" ")),
        }),
        { minLength: 20, maxLength: 20 },
      ),
    });
    fc.assert(
      fc.property(whole, ({ model, isMarked, searches, injections }) => {
        const written = World.of(model, limits);
        if (isMarked) written.markCommonWords();
        const readable = (id: number, who: Name) =>
          mayRead(model.documents[id] as ModelDocument, model, emailOf(who), PEOPLE[who]);
        for (const one of searches) {
          const { first, any } = promisesOf(one);
          const found = (model_: ModelQuery) =>
            [...model.documents.keys()].filter(
              (id) => readable(id, one.name) && answers(model.documents[id] as ModelDocument, model_),
            );
          const body = { ...requestOf(one, DATASOURCE), pageSize: one.pageSize };
          const ids = written.all(seerOf(one.name), body).map(Number);
          const expected = found(first);
          const allowed = new Set(found(any));
          const context = [body, one.name, ids];
          expect([...context, expected.filter((id) => !ids.includes(id))]).toEqual([...context, []]);
          expect([...context, ids.filter((id) => !allowed.has(id))]).toEqual([...context, []]);
          if (limits === undefined) {
            expect([...context, ids.slice(0, expected.length).toSorted((a, b) => a - b)]).toEqual([
              ...context,
              expected,
            ]);
          }
        }
        for (const { who, query } of injections) {
          const body = { query, requestOptions: { datasourceFilter: DATASOURCE }, pageSize: 100 };
          for (const id of written.all(seerOf(who), body).map(Number)) {
            expect([query, who, id, readable(id, who)]).toEqual([query, who, id, true]);
          }
        }
        written.store.close();
      }),
      // A world is too large to be made smaller step by step.
      { numRuns: WORLDS, seed: 20_261_122, endOnFailure: true },
    );
  });
});
