import type { SentValue } from "#documents-postgres/database.ts";
import { MOVED_TABLES, type TableKind } from "#documents/moving/rows.sql.ts";
import type { MovedRow, RowKind } from "#documents/moving/transfer.ts";

type Value = MovedRow[string];

/** A column that this engine stores differently from the object. */
interface Other {
  /** Its value as the object has it. */
  readonly select: string;
  /** Where it is kept; none: nowhere. */
  readonly column?: string;
  readonly value?: (value: Value) => SentValue;
}

const STATES = ["described", "deleted", "leaving"] as const;

const OTHERS: Readonly<Partial<Record<RowKind, Readonly<Record<string, Other>>>>> = {
  user: { is_active: { select: "is_active::int", column: "is_active", value: (value) => value === 1 } },
  group: {
    is_deleted: {
      select: `array_position(ARRAY['${STATES.join("', '")}'], state) - 1`,
      column: "state",
      value: (value) => STATES[Number(value)] ?? "described",
    },
  },
  // How far a removal has come: this engine starts over.
  upload: { position: { select: "''" } },
};

/** What to select to get a row as it moves. */
export function selected(kind: TableKind): string {
  const { key, columns } = MOVED_TABLES[kind];
  const others = OTHERS[kind] ?? {};
  return [...key, ...columns].map((name) => (others[name] ? `${others[name].select} AS ${name}` : name)).join(", ");
}

/** The columns of a row here, and their values. */
export function stored(kind: TableKind, row: MovedRow): readonly (readonly [column: string, value: SentValue])[] {
  const others = OTHERS[kind] ?? {};
  return MOVED_TABLES[kind].columns.flatMap((name): (readonly [string, SentValue])[] => {
    const value = row[name] ?? null;
    const other = others[name];
    if (!other) return [[name, value]];
    return other.column === undefined || !other.value ? [] : [[other.column, other.value(value)]];
  });
}
