import type { Kind } from "./generations.ts";
import type { Store } from "./store.ts";

/** The most of each kind that one datasource may have. A pipeline in a loop stops here, and others can continue. */
const MOST_OF: Readonly<Record<Kind, number>> = {
  documents: 5_000_000,
  users: 500_000,
  groups: 200_000,
  memberships: 2_000_000,
};

/** The most datasources of an instance. A document named without its datasource is looked up in each of them. */
const DATASOURCES_MAX = 1000;

/** What is counted for a datasource: items of a kind, or documents that uploads removed and that can be brought back. */
export type Counted = Kind | "removed";

/** Returns how many of a kind a datasource has. */
export function countOf(store: Store, datasource: string, kind: Counted): number {
  const statement = `SELECT ${kind} AS count FROM datasources WHERE name = ?1`;
  return store.exec<{ count: number }>(statement, datasource)[0]?.count ?? 0;
}

/** Adds a change to a datasource's count. Call it in the transaction that adds or removes the rows. */
export function count(store: Store, datasource: string, kind: Counted, change: number): void {
  if (change === 0) return;
  store.exec(
    `INSERT INTO datasources (name, ${kind}) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET ${kind} = ${kind} + ?2`,
    datasource,
    change,
  );
}

/** Says how many of a kind a datasource may have, for a refusal. */
export function mostOf(kind: Kind): string {
  return `${MOST_OF[kind]} ${kind}${kind === "documents" ? ", including removed ones that can still be brought back" : ""}`;
}

/**
 * Checks whether a datasource may have this many more of a kind, or whether a new datasource may be added. Documents that can be
 * brought back count as well: so they always have room to come back, and an upload in a loop can't pile them up.
 */
export function hasRoom(store: Store, datasource: string, kind: Kind, more = 1): boolean {
  const statement = `SELECT ${kind === "documents" ? "documents + removed" : kind} AS count FROM datasources WHERE name = ?1`;
  const [row] = store.exec<{ count: number }>(statement, datasource);
  if (row) return row.count + more <= MOST_OF[kind];
  const [all] = store.exec<{ count: number }>("SELECT count(*) AS count FROM datasources");
  return (all?.count ?? 0) < DATASOURCES_MAX;
}

/** Checks whether a datasource has room for items. A full one still takes new versions of what it has, so only new items count then. */
export function hasRoomFor<Item>(
  store: Store,
  datasource: string,
  kind: Kind,
  items: readonly Item[],
  isKnown: (item: Item) => boolean,
): boolean {
  return (
    hasRoom(store, datasource, kind, items.length) ||
    hasRoom(store, datasource, kind, items.filter((item) => !isKnown(item)).length)
  );
}
