import type { Kind } from "./generations.ts";
import type { Store } from "./store.ts";

/** Most of each kind that one datasource may have: what a pipeline in a loop makes ends here, and other datasources go on. */
export const MOST_OF: Readonly<Record<Kind, number>> = {
  documents: 5_000_000,
  users: 500_000,
  groups: 200_000,
  memberships: 2_000_000,
};

/** Datasources of an instance: a document that is named without its datasource is looked for in each. */
export const DATASOURCES_MAX = 1000;

/** How many a datasource has. */
export function countOf(store: Store, datasource: string, kind: Kind): number {
  const statement = `SELECT ${kind} AS count FROM datasources WHERE name = ?1`;
  return store.exec<{ count: number }>(statement, datasource)[0]?.count ?? 0;
}

/** Counts what was added or removed, in the transaction that does it. */
export function count(store: Store, datasource: string, kind: Kind, change: number): void {
  if (change === 0) return;
  store.exec(
    `INSERT INTO datasources (name, ${kind}) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET ${kind} = ${kind} + ?2`,
    datasource,
    change,
  );
}

/** Whether a datasource may have so many more of a kind. */
export function hasRoom(store: Store, datasource: string, kind: Kind, more = 1): boolean {
  const statement = `SELECT ${kind} AS count FROM datasources WHERE name = ?1`;
  const [row] = store.exec<{ count: number }>(statement, datasource);
  if (row) return row.count + more <= MOST_OF[kind];
  const [all] = store.exec<{ count: number }>("SELECT count(*) AS count FROM datasources");
  return (all?.count ?? 0) < DATASOURCES_MAX;
}
