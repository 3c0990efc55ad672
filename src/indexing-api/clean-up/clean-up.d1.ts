import type { Upload } from "#indexing-api/bulk/page-order.ts";
import { firstRow, rowsOf, runBatch, runStatement } from "#platform/d1.ts";
import { UPLOAD_COLUMNS } from "#search-index/bulk-uploads.sql.ts";
import type { CleanUpStore } from "./clean-up.ts";

/** Rows that one statement looks at or removes; each costs a look-up in the index. */
const ROWS_A_STEP = 1000;
const STAGED_A_STEP = 500;

/**
 * A name is needed while any document has its word, which the index itself answers. Looking and removing are one statement, so
 * nothing is removed that a document names in the same moment.
 */
export class D1CleanUp implements CleanUpStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async unfinished(exceptIds: readonly string[]): Promise<Upload | undefined> {
    const row = await firstRow<Upload>(
      this.#database
        .prepare(
          `SELECT ${UPLOAD_COLUMNS} FROM bulk_uploads
           WHERE stage IN ('storing', 'removing') AND id NOT IN (SELECT value FROM json_each(?1)) ORDER BY changed_at LIMIT 1`,
        )
        .bind(JSON.stringify(exceptIds)),
    );
    return row ?? undefined;
  }

  async giveUp(unmovedSince: number): Promise<number> {
    return runStatement(
      this.#database
        .prepare("UPDATE bulk_uploads SET stage = 'given up' WHERE stage IN ('receiving', 'done') AND changed_at < ?1")
        .bind(unmovedSince),
    );
  }

  async removeStaged(): Promise<number> {
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `DELETE FROM staged_documents WHERE id IN (
             SELECT s.id FROM bulk_uploads u CROSS JOIN staged_documents s ON s.upload = u.id
             WHERE u.stage IN ('done', 'given up') LIMIT ?1)`,
        )
        .bind(STAGED_A_STEP),
      this.#database.prepare(
        `DELETE FROM bulk_uploads WHERE stage = 'given up'
           AND NOT EXISTS (SELECT 1 FROM staged_documents WHERE upload = bulk_uploads.id)`,
      ),
    ]);
    return results[0]?.meta.changes ?? 0;
  }

  /** A group that an intersection is made of is named by the intersection. */
  removePrincipals(): Promise<{ removed: number; isAtEnd: boolean }> {
    const named = `EXISTS (SELECT 1 FROM documents_fts WHERE documents_fts MATCH 'acl : p' || t.id)
      OR EXISTS (SELECT 1 FROM intersection_groups i WHERE i.group_id = t.id)`;
    return this.#removeUnnamed("principals", named, [
      `DELETE FROM intersection_groups WHERE intersection_id IN (
         SELECT t.id FROM principals t WHERE t.kind = 'intersection' AND ${NEXT_ROWS("principals")} AND NOT (${named}))`,
    ]);
  }

  removeFilterTerms(): Promise<{ removed: number; isAtEnd: boolean }> {
    const named =
      "EXISTS (SELECT 1 FROM documents_fts WHERE documents_fts MATCH '{filters metadata_filters} : f' || t.id)";
    return this.#removeUnnamed("filter_terms", named, []);
  }

  async removeDeletedGroups(): Promise<number> {
    return runStatement(
      this.#database.prepare(
        `DELETE FROM datasource_groups WHERE is_deleted = 1 AND NOT EXISTS (
           SELECT 1 FROM principals p WHERE p.instance_id = datasource_groups.instance_id AND p.kind = 'group'
             AND p.name = datasource_groups.name AND p.datasource = datasource_groups.datasource)
           AND NOT EXISTS (
             SELECT 1 FROM memberships m WHERE m.instance_id = datasource_groups.instance_id AND m.member_kind = 'group'
               AND m.member = datasource_groups.name AND m.datasource = datasource_groups.datasource)`,
      ),
    );
  }

  /** Goes through a table by id, a step at a time, and begins anew at the end. */
  async #removeUnnamed(
    table: "principals" | "filter_terms",
    named: string,
    before: readonly string[],
  ): Promise<{ removed: number; isAtEnd: boolean }> {
    const results = await runBatch(this.#database, [
      ...before.map((sql) => this.#database.prepare(sql).bind(ROWS_A_STEP)),
      this.#database
        .prepare(
          `DELETE FROM ${table} WHERE id IN (SELECT t.id FROM ${table} t WHERE ${NEXT_ROWS(table)} AND NOT (${named}))
           RETURNING id`,
        )
        .bind(ROWS_A_STEP),
      this.#database
        .prepare(
          `INSERT INTO clean_up_positions (task, position) VALUES ('${table}', COALESCE(
             (SELECT max(id) FROM (SELECT id FROM ${table}
               WHERE id > COALESCE((SELECT position FROM clean_up_positions WHERE task = '${table}'), 0)
               ORDER BY id LIMIT ?1)), 0))
           ON CONFLICT (task) DO UPDATE SET position = excluded.position RETURNING position`,
        )
        .bind(ROWS_A_STEP),
    ]);
    const removed = rowsOf(results, before.length).length;
    const [reached] = rowsOf<{ position: number }>(results, before.length + 1);
    return { removed, isAtEnd: reached === undefined || reached.position === 0 };
  }
}

/** The rows of a table, as `t`, that this step looks at. ?1: how many. */
const NEXT_ROWS = (table: string) => `t.id IN (
  SELECT id FROM ${table} WHERE id > COALESCE((SELECT position FROM clean_up_positions WHERE task = '${table}'), 0)
  ORDER BY id LIMIT ?1)`;
