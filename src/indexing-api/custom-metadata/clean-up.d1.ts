import { allRows, runBatch } from "#platform/d1.ts";
import type { StaleMetadata } from "./clean-up.ts";
import { REFRESH_METADATA_COLUMNS } from "./metadata-columns.sql.ts";

interface StaleRow {
  readonly document_id: number;
  readonly group_id: number;
}

/** Values whose group is gone or has moved on: `present` walks the groups one by one along the index. */
const STALE = `
  WITH RECURSIVE present (id) AS (
    SELECT min(group_id) FROM document_metadata
    UNION ALL
    SELECT (SELECT min(group_id) FROM document_metadata WHERE group_id > p.id) FROM present p WHERE p.id IS NOT NULL)
  SELECT m.document_id, m.group_id FROM present p LEFT JOIN metadata_groups g ON g.id = p.id
  CROSS JOIN document_metadata m ON m.group_id = p.id AND m.version < COALESCE(g.version, 9223372036854775807)
  WHERE p.id IS NOT NULL LIMIT ?1`;

/** Entries of an object, as `e`, whose key is still in its group's schema. */
const OF_LIVING_KEY = "WHERE EXISTS (SELECT 1 FROM metadata_keys k WHERE k.id = CAST(e.key AS INTEGER))";

/** The filter terms that no document has any more are removed with those of all other fields. */
export class D1StaleMetadata implements StaleMetadata {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  /** What is stale is read first and written by its keys; a schema that changes in between makes it stale again. */
  async settle(documentsMax: number): Promise<number> {
    const rows = await allRows<StaleRow>(this.#database.prepare(STALE).bind(documentsMax));
    if (rows.length === 0) return 0;
    const list = JSON.stringify(rows);
    await runBatch(this.#database, [
      this.#database
        .prepare(`${REFRESH_METADATA_COLUMNS} WHERE id IN (SELECT value ->> 'document_id' FROM json_each(?1))`)
        .bind(list),
      this.#database
        .prepare(
          `DELETE FROM document_metadata
           WHERE (document_id, group_id) IN (SELECT value ->> 'document_id', value ->> 'group_id' FROM json_each(?1))
             AND group_id NOT IN (SELECT id FROM metadata_groups)`,
        )
        .bind(list),
      this.#database
        .prepare(
          `UPDATE document_metadata SET
             entries = (SELECT json_group_object(e.key, json(e.value)) FROM json_each(entries) e ${OF_LIVING_KEY}),
             words = (SELECT json_group_object(e.key, e.value) FROM json_each(words) e ${OF_LIVING_KEY}),
             filters = (SELECT json_group_object(e.key, e.value) FROM json_each(filters) e ${OF_LIVING_KEY}),
             version = (SELECT version FROM metadata_groups WHERE id = group_id)
           WHERE (document_id, group_id) IN (SELECT value ->> 'document_id', value ->> 'group_id' FROM json_each(?1))`,
        )
        .bind(list),
    ]);
    return rows.length;
  }
}
