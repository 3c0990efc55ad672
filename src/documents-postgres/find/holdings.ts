import type { Holding } from "#documents/find/rank.ts";
import { AS_WRITTEN, COMPLETED, IN_ANY_FORM } from "#documents/find/tally.ts";
import { rarityOf } from "#documents/index-rules.ts";
import { type Rows, textList } from "#documents-postgres/database.ts";
import type { Admission } from "./admission.ts";
import type { Lists } from "./lists.ts";
import { Parameters } from "./parameters.ts";
import { holdsClass, type Scope } from "./scope.ts";

const WAYS = [AS_WRITTEN, COMPLETED, IN_ANY_FORM] as const;

/**
 * Words in at most this many documents are counted among what the person may see. For others, the count is estimated.
 */
const COUNTED_MAX = 1000;

/**
 * Returns how many of the documents in scope contain a slot's words, for each way of matching.
 *
 * @param isAlone whether the search has a single word, so that it doesn't matter how rare this is
 */
export async function holdings(
  rows: Rows,
  scope: Scope,
  lists: Lists,
  share: number,
  isAlone: boolean,
): Promise<Holding> {
  const known = new Map<string, number>();
  const key = (slot: number, way: number) => [...lists.tokens(slot, way)].sort((one, other) => one - other).join(",");
  const counted: string[] = [];
  for (let slot = 0; slot < lists.slots; slot++) {
    for (const way of WAYS) {
      const name = key(slot, way);
      if (known.has(name)) continue;
      const entries = lists.entries(slot, way);
      known.set(name, entries * share);
      if (isAlone || entries === 0 || entries > COUNTED_MAX) continue;
      counted.push(name);
    }
  }
  if (counted.length > 0) {
    const parameters = new Parameters();
    const [row] = await rows.all<{ classes: readonly (readonly number[] | null)[] }>(
      `SELECT json_agg(c.classes ORDER BY l.at) AS classes
       FROM unnest(${parameters.add(textList(counted.map((name) => `{${name}}`)), "text[]")}) WITH ORDINALITY AS l (tokens, at)
       CROSS JOIN LATERAL (SELECT array_agg(e.class) AS classes FROM entries e
         WHERE e.tokens && l.tokens::int[] AND ${scope.conditionToCheck(parameters)}) c`,
      ...parameters.values,
    );
    for (const [at, name] of counted.entries()) {
      const classes = row?.classes[at] ?? [];
      known.set(name, classes.filter((one) => holdsClass(scope.held, one)).length);
    }
  }
  return (slot, way) => known.get(key(slot, way)) ?? 0;
}

/** Returns how rare each slot's word is, and so how much it tells about a document that it contains the word. */
export function raritiesOf(slots: number, way: number, { count }: Admission, holding: Holding): readonly number[] {
  return Array.from({ length: slots }, (_, slot) => rarityOf(count, holding(slot, way)));
}
