import type { Rows } from "#documents-postgres/database.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";
import type { MovedLine, MovedRow } from "#documents/moving/transfer.ts";

const REMOVED = "removed metadata group ";
const BACKUP = "import ";

/**
 * Returns the numbers that move with an instance, which are rows in the Durable Object and columns here: the latest upload, how
 * far a restore came, and removed metadata groups.
 */
export async function marks(rows: Rows): Promise<MovedLine[]> {
  const [own] = await rows.all<{ generation: number; backup: string | null; lines: number; importing: number }>(
    `SELECT generation, import_backup AS backup, import_lines AS lines, importing_at AS importing
     FROM instances WHERE instance_id = $1`,
  );
  const removed = await rows.all<{ name: string; value: number }>(
    "SELECT name, up_to AS value FROM removed_metadata_groups WHERE instance_id = $1 ORDER BY name",
  );
  const found = removed.map(({ name, value }): [string, number] => [REMOVED + name, value]);
  if (own) found.push(["generation", own.generation], ["importing", own.importing]);
  if (own?.backup) found.push([BACKUP + own.backup, own.lines]);
  return found.map(([name, value]) => ({ kind: "mark", key: [name], row: { value } }));
}

/** Stores a mark, or deletes it if there is no row. */
export async function takeMark(writing: Writing, name: string, row: MovedRow | null): Promise<void> {
  const { rows } = writing;
  const value = Number(row?.["value"] ?? 0);
  if (name === "generation") {
    writing.takeGeneration(value);
  } else if (name === "importing") {
    await rows.all("UPDATE instances SET importing_at = $2 WHERE instance_id = $1", value);
  } else if (name.startsWith(BACKUP)) {
    const statement = "UPDATE instances SET import_backup = $2, import_lines = $3 WHERE instance_id = $1";
    await rows.all(statement, row ? name.slice(BACKUP.length) : null, value);
  } else if (row) {
    await rows.all(
      `INSERT INTO removed_metadata_groups (instance_id, name, up_to) VALUES ($1, $2, $3)
       ON CONFLICT (instance_id, name) DO UPDATE SET up_to = excluded.up_to`,
      name.slice(REMOVED.length),
      value,
    );
  } else {
    const statement = "DELETE FROM removed_metadata_groups WHERE instance_id = $1 AND name = $2";
    await rows.all(statement, name.slice(REMOVED.length));
  }
}
