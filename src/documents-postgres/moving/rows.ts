import type { SentValue } from "#documents-postgres/database.ts";
import { MOVED_TABLES, type TableKind } from "#documents/moving/rows.sql.ts";
import type { MovedRow, RowKind } from "#documents/moving/transfer.ts";

type Value = MovedRow[string];

/** A column that this engine stores differently from the Durable Object. */
interface Other {
  /** Selects its value as the Durable Object has it. */
  readonly select: string;
  /** The column that stores it here; without one, it isn't stored. */
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
  // How far a removal has come. This engine starts a removal over.
  upload: { position: { select: "''" } },
};

/** Returns what to select to get a row in the form in which it moves. */
export function selected(kind: TableKind): string {
  const { key, columns } = MOVED_TABLES[kind];
  const others = OTHERS[kind] ?? {};
  return [...key, ...columns].map((name) => (others[name] ? `${others[name].select} AS ${name}` : name)).join(", ");
}

/** Returns the columns that store a moved row here, and their values. */
export function stored(kind: TableKind, row: MovedRow): readonly (readonly [column: string, value: SentValue])[] {
  const others = OTHERS[kind] ?? {};
  return MOVED_TABLES[kind].columns.flatMap((name): (readonly [string, SentValue])[] => {
    const value = row[name] ?? null;
    const other = others[name];
    if (!other) return [[name, value]];
    return other.column === undefined || !other.value ? [] : [[other.column, other.value(value)]];
  });
}
