import type { Store } from "#documents/store.ts";

/** Returns, for each group, how many documents have values, up to `max`. */
export function countByGroup(store: Store, groupIds: readonly number[], max: number): number[] {
  const statement = "SELECT count(*) AS count FROM (SELECT 1 FROM document_metadata WHERE group_id = ?1 LIMIT ?2)";
  return groupIds.map((id) => store.exec<{ count: number }>(statement, id, max)[0]?.count ?? 0);
}

/** Returns, for each key of a group, how many documents have a value, among up to `max` documents. */
export function countByKey(store: Store, groupId: number, max: number): Record<number, number> {
  const rows = store.exec<{ key: string; count: number }>(
    `SELECT e.key, count(*) AS count
     FROM (SELECT entries FROM document_metadata WHERE group_id = ?1 LIMIT ?2) holding CROSS JOIN json_each(holding.entries) e
     GROUP BY e.key`,
    groupId,
    max,
  );
  return Object.fromEntries(rows.map(({ key, count }) => [Number(key), count]));
}
