/** Returns a condition on columns, with numbered parameters. */
export function equal(names: readonly string[]): string {
  return names.map((name, at) => `${name} = ?${at + 1}`).join(" AND ");
}

/** Returns the statement that writes a row, with numbered parameters: those of its key, and those of the columns that it replaces. */
export function upsert(table: string, key: readonly string[], columns: readonly string[]): string {
  const all = [...key, ...columns];
  const changes = columns.map((name) => `${name} = excluded.${name}`).join(", ");
  return `INSERT INTO ${table} (${all.join(", ")}) VALUES (${all.map((_, at) => `?${at + 1}`).join(", ")})
    ON CONFLICT (${key.join(", ")}) DO ${changes === "" ? "NOTHING" : `UPDATE SET ${changes}`}`;
}
