import type { Kind } from "#documents/generations.ts";
import { FATE } from "#documents/uploads/bring-back.ts";
import type { MovedKey, MovedLine, MovedRow, RowKind } from "./transfer.ts";

/** A table whose rows move unchanged. */
interface MovedTable {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** Which of its rows move, in SQL; all by default. */
  readonly only?: string;
  /** The count of a datasource that its rows belong to. The datasource is part of the key. */
  readonly counted?: Kind;
}

/** The moved tables by the kind of their lines, in the order in which they are copied. */
export const MOVED_TABLES: Readonly<Record<RowKind, MovedTable>> = {
  mark: {
    table: "state",
    key: ["name"],
    columns: ["value"],
    only: `name = 'generation' OR name LIKE 'import%' OR name LIKE 'removed metadata group %' OR name LIKE '${FATE}%'`,
  },
  leavingUser: { table: "leaving_users", key: ["datasource", "member"], columns: [] },
  user: {
    table: "datasource_users",
    key: ["datasource", "user_id"],
    columns: ["email", "name", "is_active", "generation"],
    counted: "users",
  },
  group: {
    table: "datasource_groups",
    key: ["datasource", "name"],
    columns: ["is_deleted", "generation"],
    counted: "groups",
  },
  membership: {
    table: "memberships",
    key: ["member_kind", "member", "datasource", "group_name"],
    columns: ["generation"],
    counted: "memberships",
  },
  upload: {
    table: "bulk_uploads",
    key: ["datasource", "kind", "group_name"],
    columns: [
      "upload_id",
      "stage",
      "generation",
      "first_page",
      "received",
      "removed",
      "single_changes",
      "position",
      "errors",
      "started_at",
      "changed_at",
      "completed_at",
      "stale",
      "total",
      "held_until",
    ],
  },
  page: { table: "upload_pages", key: ["generation", "hash"], columns: [] },
  singleChange: { table: "single_changes", key: ["datasource", "overruled", "name"], columns: ["generation"] },
};

export const ROW_KINDS = Object.keys(MOVED_TABLES) as readonly RowKind[];

/** Kinds of rows that have a table in every engine. */
export type TableKind = Exclude<RowKind, "mark">;

export const TABLE_KINDS = ROW_KINDS.filter((kind): kind is TableKind => kind !== "mark");

/** Returns a line with the columns that were read, including its key. */
export function rowLine(kind: RowKind, row: MovedRow): MovedLine {
  const { key, columns } = MOVED_TABLES[kind];
  return {
    kind,
    key: key.map((name) => row[name] ?? "") as MovedKey,
    row: Object.fromEntries(columns.map((name) => [name, row[name] ?? null])),
  };
}
