import { firstRow, rowsOf, runBatch, runStatement } from "#platform/d1.ts";
import { UPLOAD_COLUMNS } from "#search-index/bulk-uploads.sql.ts";
import {
  aclOf,
  filtersOf,
  insertFilterTerms,
  insertIntersectionGroups,
  insertPrincipals,
} from "#search-index/index-words.sql.ts";
import type { Upload } from "./page-order.ts";
import type { PublicationStore } from "./publication.ts";

/** One step's work: a few of D1's thirty seconds, of large documents too. */
const STEP_DOCUMENTS_MAX = 1000;
const STEP_BYTES_MAX = 8_000_000;
/** What taking a document's old text out of the index costs grows with it. */
const INDEXED_BYTES = "(octet_length(d.title) + octet_length(d.body) + octet_length(d.keywords) + octet_length(d.acl))";
/** Looking whether a document is in the upload costs little. */
const STEP_LOOKED_AT_MAX = 20_000;

/** The documents of upload ?2 from ?3 (beyond it) to ?4, while it is being stored. ?1 is its instance. */
const STAGED = `bulk_uploads u CROSS JOIN staged_documents s
  ON s.upload = u.id AND s.external_id > ?3 AND s.external_id <= ?4 AND u.stage = 'storing' AND u.id = ?2 AND u.instance_id = ?1`;

const COLUMNS = [
  "object_type",
  "title",
  "body",
  "summary",
  "url",
  "author_name",
  "author_email",
  "tags",
  "permissions",
  "created_at",
  "updated_at",
  "keywords",
  "acl",
  "filters",
];

/** Ids are compared byte by byte in UTF-8 and have at most 200 characters: no id is greater. */
const BEYOND_ALL_IDS = "\u{10ffff}".repeat(201);

const NAMED_PRINCIPALS = `(SELECT n.value FROM ${STAGED} CROSS JOIN json_each(s.permissions) n)`;
const NAMED_TERMS = `(SELECT n.value FROM ${STAGED} CROSS JOIN json_each(s.terms) n)`;

const PREPARE = [
  insertPrincipals(NAMED_PRINCIPALS),
  insertIntersectionGroups(NAMED_PRINCIPALS),
  insertFilterTerms(NAMED_TERMS),
];

/**
 * A document that is as it was is not written, so an upload of everything costs what has changed. One that was indexed after the
 * upload was complete is newer than it.
 */
const STORE = `
  INSERT INTO documents (instance_id, datasource, external_id, indexed_at, ${COLUMNS.join(", ")})
  SELECT ?1, u.datasource, s.external_id, u.completed_at, s.object_type, s.title, s.body, s.summary, s.url, s.author_name,
    s.author_email, s.tags, s.permissions, s.created_at, s.updated_at, s.keywords, ${aclOf("s.permissions")},
    ${filtersOf("s.terms")}
  FROM ${STAGED} WHERE true
  ON CONFLICT (instance_id, datasource, external_id) DO UPDATE SET
    ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ")}, indexed_at = excluded.indexed_at
  WHERE documents.indexed_at <= excluded.indexed_at
    AND (${COLUMNS.map((column) => `documents.${column} IS NOT excluded.${column}`).join(" OR ")})`;

/** Documents that upload ?2 of instance ?1 does not have, while it is in stage ?3. */
const ABSENT = `bulk_uploads u CROSS JOIN documents d
  ON d.instance_id = u.instance_id AND d.datasource = u.datasource AND u.id = ?2 AND u.instance_id = ?1 AND u.stage = ?3
  AND NOT EXISTS (SELECT 1 FROM staged_documents s WHERE s.upload = u.id AND s.external_id = d.external_id)
  AND d.indexed_at <= u.completed_at`;

export class D1Publication implements PublicationStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async read(id: string): Promise<Upload | undefined> {
    const row = await firstRow<Upload>(
      this.#database.prepare(`SELECT ${UPLOAD_COLUMNS} FROM bulk_uploads WHERE id = ?1`).bind(id),
    );
    return row ?? undefined;
  }

  async hasAtMost({ instanceId, datasource }: Upload, documents: number, bytes: number): Promise<boolean> {
    const row = await firstRow<{ documents: number; bytes: number | null }>(
      this.#database
        .prepare(
          `SELECT count(*) AS documents, sum(bytes) AS bytes FROM (
             SELECT ${INDEXED_BYTES} AS bytes FROM documents d WHERE d.instance_id = ?1 AND d.datasource = ?2 LIMIT ?3)`,
        )
        .bind(instanceId, datasource, documents + 1),
    );
    return row !== null && row.documents <= documents && (row.bytes ?? 0) <= bytes;
  }

  async publishAtOnce({ id, instanceId }: Upload): Promise<void> {
    const all = [instanceId, id, "", BEYOND_ALL_IDS] as const;
    await runBatch(this.#database, [
      ...[...PREPARE, STORE].map((sql) => this.#database.prepare(sql).bind(...all)),
      this.#database
        .prepare(
          `UPDATE bulk_uploads SET removed = (SELECT count(*) FROM ${ABSENT}), stored = documents WHERE id = ?2 AND stage = ?3`,
        )
        .bind(instanceId, id, "storing"),
      this.#database
        .prepare(`DELETE FROM documents WHERE id IN (SELECT d.id FROM ${ABSENT})`)
        .bind(instanceId, id, "storing"),
      this.#database.prepare("UPDATE bulk_uploads SET stage = 'done' WHERE id = ?1 AND stage = 'storing'").bind(id),
      this.#database
        .prepare(
          `DELETE FROM staged_documents WHERE upload = (SELECT id FROM bulk_uploads WHERE id = ?1 AND stage = 'done')`,
        )
        .bind(id),
    ]);
  }

  async storeNext({ id, instanceId, datasource, position }: Upload): Promise<void> {
    const next = await firstRow<{ until: string | null; documents: number }>(
      this.#database
        .prepare(
          `SELECT max(external_id) AS until, count(*) AS documents FROM (
             SELECT external_id, sum(bytes) OVER (ORDER BY external_id ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
             FROM (SELECT s.external_id, s.bytes + COALESCE((SELECT ${INDEXED_BYTES} FROM documents d
                 WHERE d.instance_id = ?5 AND d.datasource = ?6 AND d.external_id = s.external_id), 0) AS bytes
               FROM staged_documents s
               WHERE s.upload = ?1 AND s.external_id > ?2 ORDER BY s.external_id LIMIT ?3))
           WHERE bytes_before < ?4`,
        )
        .bind(id, position, STEP_DOCUMENTS_MAX, STEP_BYTES_MAX, instanceId, datasource),
    );
    if (!next || next.until === null) {
      await runStatement(
        this.#database
          .prepare(
            `UPDATE bulk_uploads SET stage = 'removing', position = ''
             WHERE id = ?1 AND stage = 'storing' AND position = ?2`,
          )
          .bind(id, position),
      );
      return;
    }
    await runBatch(this.#database, [
      ...[...PREPARE, STORE].map((sql) => this.#database.prepare(sql).bind(instanceId, id, position, next.until)),
      this.#database
        .prepare(
          `UPDATE bulk_uploads SET position = ?3, stored = stored + ?4
           WHERE id = ?1 AND stage = 'storing' AND position = ?2`,
        )
        .bind(id, position, next.until, next.documents),
    ]);
  }

  async removeNext({ id, instanceId, position }: Upload): Promise<void> {
    const window = `FROM bulk_uploads u CROSS JOIN documents d
      ON d.instance_id = u.instance_id AND d.datasource = u.datasource AND d.external_id > ?2 AND u.id = ?1`;
    const until = `SELECT max(external_id) AS until FROM (SELECT d.external_id ${window} ORDER BY d.external_id LIMIT ?3)`;
    const results = await runBatch(this.#database, [
      this.#database.prepare(until).bind(id, position, STEP_LOOKED_AT_MAX),
      this.#database
        .prepare(
          `SELECT id, external_id, candidates FROM (
             SELECT id, external_id, count(*) OVER () AS candidates,
               sum(bytes) OVER (ORDER BY external_id ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
             FROM (SELECT d.id, d.external_id, ${INDEXED_BYTES} AS bytes ${window}
               WHERE d.external_id <= (${until}) AND NOT EXISTS (
                 SELECT 1 FROM staged_documents s WHERE s.upload = u.id AND s.external_id = d.external_id)
               ORDER BY d.external_id LIMIT ?4))
           WHERE bytes_before < ?5 ORDER BY external_id`,
        )
        .bind(id, position, STEP_LOOKED_AT_MAX, STEP_DOCUMENTS_MAX, STEP_BYTES_MAX),
    ]);
    const [looked] = rowsOf<{ until: string | null }>(results, 0);
    const absent = rowsOf<{ id: number; external_id: string; candidates: number }>(results, 1);
    if (!looked || looked.until === null) {
      await runStatement(
        this.#database
          .prepare("UPDATE bulk_uploads SET stage = 'done' WHERE id = ?1 AND stage = 'removing' AND position = ?2")
          .bind(id, position),
      );
      return;
    }
    const isWindowDone = absent.length < STEP_DOCUMENTS_MAX && absent.length === (absent[0]?.candidates ?? 0);
    const reached = isWindowDone ? looked.until : (absent.at(-1)?.external_id ?? looked.until);
    const gone = [instanceId, id, "removing", JSON.stringify(absent.map((document) => document.id))] as const;
    const stillAbsent = `${ABSENT} AND d.id IN (SELECT value FROM json_each(?4))`;
    await runBatch(this.#database, [
      this.#database
        .prepare(
          `UPDATE bulk_uploads SET removed = removed + (SELECT count(*) FROM ${stillAbsent}) WHERE id = ?2 AND stage = ?3`,
        )
        .bind(...gone),
      this.#database.prepare(`DELETE FROM documents WHERE id IN (SELECT d.id FROM ${stillAbsent})`).bind(...gone),
      this.#database
        .prepare("UPDATE bulk_uploads SET position = ?3 WHERE id = ?1 AND stage = 'removing' AND position = ?2")
        .bind(id, position, reached),
    ]);
  }
}
