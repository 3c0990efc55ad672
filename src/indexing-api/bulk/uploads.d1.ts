import type { IndexableDocument } from "#indexing-api/documents/document.ts";
import { firstRow, runBatch } from "#platform/d1.ts";
import { UPLOAD_COLUMNS } from "#search-index/bulk-uploads.sql.ts";
import type { UploadStore } from "./bulk-indexing.ts";
import type { Upload } from "./page-order.ts";
import type { UploadPage } from "./upload-page.ts";

/**
 * Pages of uploads. Each is one transaction whose statements ask whether the upload still takes pages, so of two that race one
 * finds the other's work, and nothing of an upload that was given up comes into the next.
 */
export class D1Uploads implements UploadStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async find(instanceId: number, datasource: string): Promise<Upload | undefined> {
    const row = await firstRow<Upload>(
      this.#database
        .prepare(
          `SELECT ${UPLOAD_COLUMNS} FROM bulk_uploads
           WHERE instance_id = ?1 AND datasource = ?2 AND stage <> 'given up'`,
        )
        .bind(instanceId, datasource),
    );
    return row ?? undefined;
  }

  async start(
    instanceId: number,
    id: string,
    page: UploadPage,
    inPlaceOf: string | undefined,
    now: number,
  ): Promise<boolean> {
    const [, started] = await runBatch(this.#database, [
      this.#database.prepare("UPDATE bulk_uploads SET stage = 'given up' WHERE id = ?1").bind(inPlaceOf ?? null),
      this.#database
        .prepare(
          `INSERT INTO bulk_uploads (id, instance_id, datasource, upload_id, stage, first_page, latest_page, changed_at)
           VALUES (?1, ?2, ?3, ?4, 'receiving', ?5, ?5, ?6)
           ON CONFLICT DO NOTHING`,
        )
        .bind(id, instanceId, page.datasource, page.uploadId, page.hash, now),
      ...this.#stage(id, page, now),
    ]);
    return (started?.meta.changes ?? 0) > 0;
  }

  async add(id: string, page: UploadPage, now: number): Promise<boolean> {
    const [counted] = await runBatch(this.#database, this.#stage(id, page, now));
    return (counted?.meta.changes ?? 0) > 0;
  }

  /** Counts what is new before it is, stages it, and completes the upload with its last page. */
  #stage(id: string, page: UploadPage, now: number): D1PreparedStatement[] {
    const ids = JSON.stringify(page.documents.map((document) => document.externalId));
    const bytes = page.documents.reduce((sum, document) => sum + document.bytes, 0);
    const count = this.#database
      .prepare(
        `UPDATE bulk_uploads SET latest_page = ?2, bytes = bytes + ?4, changed_at = ?5,
           documents = documents + (SELECT count(*) FROM json_each(?3) named WHERE NOT EXISTS (
             SELECT 1 FROM staged_documents WHERE upload = ?1 AND external_id = named.value))
         WHERE id = ?1 AND stage = 'receiving'`,
      )
      .bind(id, page.hash, ids, bytes, now);
    const complete = this.#database
      .prepare("UPDATE bulk_uploads SET stage = 'storing', completed_at = ?2 WHERE id = ?1 AND stage = 'receiving'")
      .bind(id, now);
    return [
      count,
      ...page.documents.map((document) => this.#stageDocument(id, document)),
      ...(page.isLast ? [complete] : []),
    ];
  }

  #stageDocument(id: string, document: IndexableDocument): D1PreparedStatement {
    return this.#database
      .prepare(
        `INSERT INTO staged_documents (upload, external_id, bytes, object_type, title, body, summary, url, author_name,
           author_email, tags, permissions, keywords, terms, created_at, updated_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16
         FROM bulk_uploads WHERE id = ?1 AND stage = 'receiving'
         ON CONFLICT (upload, external_id) DO UPDATE SET
           bytes = excluded.bytes, object_type = excluded.object_type, title = excluded.title, body = excluded.body,
           summary = excluded.summary, url = excluded.url, author_name = excluded.author_name,
           author_email = excluded.author_email, tags = excluded.tags, permissions = excluded.permissions,
           keywords = excluded.keywords, terms = excluded.terms, created_at = excluded.created_at,
           updated_at = excluded.updated_at`,
      )
      .bind(
        id,
        document.externalId,
        document.bytes,
        document.objectType,
        document.title,
        document.body,
        document.summary,
        document.url,
        document.authorName,
        document.authorEmail,
        JSON.stringify(document.tags),
        JSON.stringify(document.principals),
        document.keywords,
        JSON.stringify(document.terms),
        document.createdAt,
        document.updatedAt,
      );
  }
}
