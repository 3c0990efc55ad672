import type { FindLimits } from "#documents/find/limits.ts";
import type { Rows } from "#documents-postgres/database.ts";
import type { Instance } from "#documents-postgres/instance.ts";
import type { Held } from "#documents-postgres/rights/held.ts";
import { Parameters } from "./parameters.ts";
import { maySee, type Scope } from "./scope.ts";

/** How many documents are in scope (see {@link Scope}), and how many words these have on average. */
export interface Admission {
  readonly count: number;
  readonly averageLength: number;
  /** Whether all of them are scored. */
  readonly isNarrow: boolean;
}

/** The most documents that are counted if there are filters: enough to tell how rare words are. */
const COUNTED_MAX = 10_000;

interface Summary {
  readonly count: number;
  readonly length: number;
}

/** How much people may see without filters, remembered until something is written. */
const summaries = new WeakMap<Held, Summary & { readonly version: number; readonly documents: number }>();

/** A large count is kept while fewer than one in this many documents were added or removed. */
const STALE_SHARE = 100;

export async function admit(rows: Rows, instance: Instance, scope: Scope, { narrow }: FindLimits): Promise<Admission> {
  const visible = await visibleTo(rows, instance, scope.held, narrow);
  const { count, length } = visible.count === 0 || !scope.isFiltered ? visible : await filtered(rows, scope, narrow);
  return { count, averageLength: count === 0 ? 1 : length / count, isNarrow: count <= narrow };
}

async function visibleTo(rows: Rows, { version, documents }: Instance, held: Held, narrow: number): Promise<Summary> {
  const known = summaries.get(held);
  const isClose =
    known !== undefined &&
    known.count > narrow * 2 &&
    narrow > 0 &&
    Math.abs(documents - known.documents) * STALE_SHARE < documents;
  if (known?.version === version || (known && isClose)) return known;
  const parameters = new Parameters();
  const condition = maySee(held, parameters).replaceAll("e.class", "c.id");
  const [row] = await rows.all<{ count: number; length: number }>(
    `SELECT coalesce(sum(c.documents), 0)::bigint AS count, coalesce(sum(c.length), 0)::bigint AS length FROM classes c
     WHERE c.instance_id = $1 AND ${condition}`,
    ...parameters.values,
  );
  const summary = row ?? { count: 0, length: 0 };
  summaries.set(held, { ...summary, version, documents });
  return summary;
}

async function filtered(rows: Rows, scope: Scope, narrow: number): Promise<Summary> {
  const parameters = new Parameters();
  const condition = scope.condition(parameters);
  const [row] = await rows.all<{ count: number; length: number }>(
    `SELECT count(*) AS count, coalesce(sum(f.length), 0)::bigint AS length
     FROM (SELECT e.length FROM entries e WHERE ${condition} LIMIT ${Math.max(COUNTED_MAX, narrow + 1)}) f`,
    ...parameters.values,
  );
  return row ?? { count: 0, length: 0 };
}
