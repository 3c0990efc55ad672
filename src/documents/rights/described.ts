import { count } from "#documents/counts.ts";
import { equal, upsert } from "#documents/row-statements.sql.ts";
import type { Store } from "#documents/store.ts";
import type { Described } from "./rights.ts";

/** Returns the generation of what is stored; `undefined`: nothing is. */
export function generationOf(store: Store, datasource: string, described: Described): number | undefined {
  const { table, key } = rowOf(datasource, described);
  const statement = `SELECT generation FROM ${table} WHERE ${equal(Object.keys(key))}`;
  return store.exec<{ generation: number }>(statement, ...Object.values(key))[0]?.generation;
}

/**
 * Writes it, and counts it if it is new. What is stored with a later generation stays.
 *
 * @param known what {@link generationOf} returns
 */
export function putDescribed(
  store: Store,
  datasource: string,
  described: Described,
  generation: number,
  known: number | undefined,
): void {
  if (known === undefined) count(store, datasource, described.kind, 1);
  const { table, key, columns } = rowOf(datasource, described);
  const statement = upsert(table, Object.keys(key), [...Object.keys(columns), "generation"]);
  const values = [...Object.values(key), ...Object.values(columns), generation];
  store.exec(`${statement} WHERE generation <= excluded.generation`, ...values);
}

/** Returns the row of what is described, in the columns' names. */
function rowOf(datasource: string, described: Described) {
  switch (described.kind) {
    case "users": {
      const { userId, email, name, isActive } = described.user;
      const columns = { email, name, is_active: isActive ? 1 : 0 };
      return { table: "datasource_users", key: { datasource, user_id: userId }, columns };
    }
    // From then on, it has the members that its pipeline names instead of the directory's.
    case "groups":
      return { table: "datasource_groups", key: { datasource, name: described.name }, columns: { is_deleted: 0 } };
    case "memberships":
    default: {
      const { memberKind, member, groupName } = described.membership;
      const key = { member_kind: memberKind, member, datasource, group_name: groupName };
      return { table: "memberships", key, columns: {} };
    }
  }
}
