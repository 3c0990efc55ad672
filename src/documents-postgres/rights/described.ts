import type { Described } from "#documents/rights/described.ts";
import { leaverIn, type Leaving } from "#documents/rights/change-rights.ts";
import type { Rows } from "#documents-postgres/database.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";

/** The table and the key of a user, group or membership. */
interface Key {
  readonly table: string;
  readonly columns: readonly string[];
  readonly values: readonly string[];
}

function keyOf(datasource: string, described: Described): Key {
  switch (described.kind) {
    case "users":
      return {
        table: "datasource_users",
        columns: ["datasource", "user_id"],
        values: [datasource, described.user.userId],
      };
    case "groups":
      return { table: "datasource_groups", columns: ["datasource", "name"], values: [datasource, described.name] };
    case "memberships":
    default: {
      const { memberKind, member, groupName } = described.membership;
      return {
        table: "memberships",
        columns: ["member_kind", "member", "datasource", "group_name"],
        values: [memberKind, member, datasource, groupName],
      };
    }
  }
}

/** Returns the generation of the stored user, group or membership; `undefined` if there is none. */
export async function generationOf(rows: Rows, datasource: string, described: Described): Promise<number | undefined> {
  const { table, columns, values } = keyOf(datasource, described);
  const condition = columns.map((name, at) => `${name} = $${at + 2}`).join(" AND ");
  const statement = `SELECT generation FROM ${table} WHERE instance_id = $1 AND ${condition}`;
  return (await rows.all<{ generation: number }>(statement, ...values))[0]?.generation;
}

/**
 * Stores a user, group or membership, unless a later generation is stored, and counts it if it is new. A described group has the
 * members that its pipeline names, and not the directory's.
 *
 * @param known what {@link generationOf} returned
 */
export async function putDescribed(
  writing: Writing,
  datasource: string,
  described: Described,
  generation: number,
  known: number | undefined,
): Promise<void> {
  if (known === undefined) writing.count(datasource, described.kind, 1);
  const { table, columns, values } = keyOf(datasource, described);
  const more: readonly (readonly [string, string | boolean])[] =
    described.kind === "users"
      ? [
          ["email", described.user.email],
          ["name", described.user.name],
          ["is_active", described.user.isActive],
        ]
      : described.kind === "groups"
        ? [["state", "described"]]
        : [];
  const names = [...columns, "generation", ...more.map(([name]) => name)];
  const set = ["generation", ...more.map(([name]) => name)].map((name) => `${name} = excluded.${name}`).join(", ");
  await writing.rows.all(
    `INSERT INTO ${table} AS t (instance_id, ${names.join(", ")}) VALUES ($1, ${names.map((_, at) => `$${at + 2}`).join(", ")})
     ON CONFLICT (instance_id, ${columns.join(", ")}) DO UPDATE SET ${set} WHERE t.generation <= excluded.generation`,
    ...values,
    generation,
    ...more.map(([, value]) => value),
  );
}

/** Checks whether a datasource's pipeline has described a group and not deleted it since. */
export async function isDescribed(rows: Rows, datasource: string, name: string): Promise<boolean> {
  const statement =
    "SELECT 1 FROM datasource_groups WHERE instance_id = $1 AND datasource = $2 AND name = $3 AND state = 'described'";
  return (await rows.all(statement, datasource, name)).length > 0;
}

/**
 * Returns the deleted group or user whose memberships must be removed before this may be written. Otherwise, a group that is
 * described now would get its old memberships back, and a new membership of the group or user would be removed with the old ones.
 */
export async function leavingIn(rows: Rows, datasource: string, described: Described): Promise<Leaving | undefined> {
  const named = leaverIn(described);
  if (named === undefined) return undefined;
  const statement =
    named.noun === "group"
      ? "SELECT 1 FROM datasource_groups WHERE instance_id = $1 AND datasource = $2 AND name = $3 AND state = 'leaving'"
      : "SELECT 1 FROM leaving_users WHERE instance_id = $1 AND datasource = $2 AND member = $3";
  return (await rows.all(statement, datasource, named.name)).length > 0 ? named : undefined;
}
