import { DATASOURCES_MAX, MOST_OF } from "#documents/counts.ts";
import type { Kind } from "#documents/generations.ts";
import type { Rows } from "./database.ts";

/** Returns how many of a kind a datasource has; `undefined` if there is no such datasource. */
export async function countOf(rows: Rows, datasource: string, kind: Kind): Promise<number | undefined> {
  const statement = `SELECT ${kind} AS count FROM datasources WHERE instance_id = $1 AND name = $2`;
  return (await rows.all<{ count: number }>(statement, datasource))[0]?.count;
}

/** Counts what was added or removed, in the same transaction. */
export async function count(rows: Rows, datasource: string, kind: Kind, change: number): Promise<void> {
  if (change === 0) return;
  await rows.all(
    `INSERT INTO datasources AS d (instance_id, name, ${kind}) VALUES ($1, $2, $3)
     ON CONFLICT (instance_id, name) DO UPDATE SET ${kind} = d.${kind} + excluded.${kind}`,
    datasource,
    change,
  );
}

/**
 * Checks whether a datasource may have this many more of a kind or, if it is new, whether the instance may have another one.
 */
export async function hasRoom(rows: Rows, datasource: string, kind: Kind, more = 1): Promise<boolean> {
  const has = await countOf(rows, datasource, kind);
  if (has !== undefined) return has + more <= MOST_OF[kind];
  const statement = "SELECT count(*)::int AS count FROM datasources WHERE instance_id = $1";
  const [all] = await rows.all<{ count: number }>(statement);
  return (all?.count ?? 0) < DATASOURCES_MAX;
}

/** Checks whether a datasource has room for items. A full one still takes new versions of what it has, so only new items count then. */
export async function hasRoomFor<Item>(
  rows: Rows,
  datasource: string,
  kind: Kind,
  items: readonly Item[],
  isKnown: (item: Item) => Promise<boolean>,
): Promise<boolean> {
  if (await hasRoom(rows, datasource, kind, items.length)) return true;
  let added = 0;
  for (const item of items) if (!(await isKnown(item))) added += 1;
  return hasRoom(rows, datasource, kind, added);
}
