import * as fc from "fast-check";
import { expect } from "vitest";
import type { Seer } from "#documents/engine.ts";
import { anyText } from "../support/any-text.ts";
import {
  answers,
  isTyped,
  mayRead,
  type ModelDocument,
  type ModelQuery,
  type ModelWorld,
  WORDS,
} from "../support/search-model.ts";
import {
  asked,
  emailOf,
  INJECTIONS,
  type Name,
  name,
  PEOPLE,
  promisesOf,
  requestOf,
} from "../support/search-worlds.ts";
import { DATASOURCE, seerOf } from "./world.ts";

/** The number of searches in each world, with each set of limits. */
const SEARCHES = 90;

/** What people search for in a world: this many searches, and a few malicious ones. */
export const askedOfWorlds = (searches = SEARCHES) =>
  fc.record({
    searches: fc.array(asked, { minLength: searches, maxLength: searches }),
    injections: fc.array(
      fc.record({
        who: name,
        query: fc
          .array(fc.oneof(fc.constantFrom(...INJECTIONS, ...WORDS), anyText), { minLength: 1, maxLength: 3 })
          .map((parts) => parts.join(" ")),
      }),
      { minLength: Math.ceil(searches / 5), maxLength: Math.ceil(searches / 5) },
    ),
  });

type Asked = ReturnType<typeof askedOfWorlds> extends fc.Arbitrary<infer Value> ? Value : never;

/** A model that was written to an engine. */
export interface WrittenWorld {
  /** Returns the ids of all pages. */
  all(seer: Seer, body: Readonly<Record<string, unknown>>): readonly string[] | Promise<readonly string[]>;
}

/**
 * Compares what an engine finds with a plain evaluation of the model.
 *
 * @param isWhole whether all that has every word comes before what has some
 */
export async function expectPromised(
  model: ModelWorld,
  written: WrittenWorld,
  { searches, injections }: Asked,
  isWhole: boolean,
): Promise<void> {
  const readable = (id: number, who: Name) =>
    mayRead(model.documents[id] as ModelDocument, model, emailOf(who), PEOPLE[who]);
  for (const one of searches) {
    const { first, any } = promisesOf(one);
    const found = (model_: ModelQuery) =>
      [...model.documents.keys()].filter(
        (id) => readable(id, one.name) && answers(model.documents[id] as ModelDocument, model_),
      );
    const body = { ...requestOf(one, DATASOURCE), pageSize: one.pageSize };
    const ids = (await written.all(seerOf(one.name), body)).map(Number);
    const expected = found(first);
    const allowed = new Set(found(any));
    const context = [body, one.name, ids];
    expect([...context, expected.filter((id) => !ids.includes(id))]).toEqual([...context, []]);
    expect([...context, ids.filter((id) => !allowed.has(id))]).toEqual([...context, []]);
    if (isWhole) {
      // A title that says nothing but what was typed counts as every word.
      const counted = ids.filter((id) => expected.includes(id) || !isTyped(model.documents[id] as ModelDocument, any));
      expect([...context, counted.slice(0, expected.length).toSorted((a, b) => a - b)]).toEqual([...context, expected]);
    }
  }
  for (const { who, query } of injections) {
    const body = { query, requestOptions: { datasourceFilter: DATASOURCE }, pageSize: 100 };
    for (const id of (await written.all(seerOf(who), body)).map(Number)) {
      expect([query, who, id, readable(id, who)]).toEqual([query, who, id, true]);
    }
  }
}
