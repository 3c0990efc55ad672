import * as fc from "fast-check";
import { addClass, classesWith, removeClass } from "#documents/access-class-principals.sql.ts";
import { expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { runs } from "../support/properties.ts";

it("classes of principals are exactly those that were added and not removed, whatever block they are in", () => {
  const ids = fc.uniqueArray(fc.nat(5000), { maxLength: 30 });
  const principals = fc.uniqueArray(fc.integer({ min: 1, max: 250 }), { minLength: 1, maxLength: 200 });
  const world = fc.record({ ids, lists: fc.array(principals, { minLength: 30, maxLength: 30 }), asked: principals });
  fc.assert(
    fc.property(world, ({ ids: added, lists, asked }) => {
      const store = new SqliteStore();
      const listOf = (at: number) => lists[at] ?? [];
      for (const [at, id] of added.entries()) addClass(store, JSON.stringify(listOf(at)), id);
      const isKept = (at: number) => at % 3 !== 0;
      for (const [at, id] of added.entries()) if (!isKept(at)) removeClass(store, JSON.stringify(listOf(at)), id);
      const held = new Set([...classesWith(store, asked)].flatMap((classes) => [...classes]));
      const expected = added.filter((_, at) => isKept(at) && listOf(at).some((one) => asked.includes(one)));
      expect([...held].toSorted((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b));
      store.close();
    }),
    { numRuns: runs(30) },
  );
});
