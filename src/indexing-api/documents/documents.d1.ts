import { runBatch } from "#platform/d1.ts";
import type { IndexableDocument } from "./document.ts";
import type { DocumentStore } from "./documents.ts";

/**
 * Documents and their permissions. D1 binds at most 100 parameters a statement, so lists travel as one JSON parameter.
 *
 * Names are folded here by the same `lower()` that search folds a person's groups with: SQLite's knows ASCII alone, and a name
 * that one side folds further than the other is a group that nobody is in.
 */
export class D1DocumentStore implements DocumentStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async upsert(instanceId: number, documents: readonly IndexableDocument[], now: number): Promise<void> {
    await runBatch(this.#database, [
      this.#principals(instanceId, documents),
      ...documents.map((document) => this.#document(instanceId, document, now)),
    ]);
  }

  /** Whoever the documents name gets a principal, known to the directory yet or not. */
  #principals(instanceId: number, documents: readonly IndexableDocument[]): D1PreparedStatement {
    return this.#database
      .prepare(
        `INSERT INTO principals (instance_id, kind, datasource, name)
         SELECT DISTINCT ?1, value ->> 'kind', value ->> 'datasource', lower(value ->> 'name') FROM json_each(?2) WHERE true
         ON CONFLICT DO NOTHING`,
      )
      .bind(instanceId, JSON.stringify(documents.flatMap((document) => document.principals)));
  }

  /** The cross join makes SQLite look each name up; in the other order it would read the whole list once for each principal. */
  #document(instanceId: number, document: IndexableDocument, now: number): D1PreparedStatement {
    return this.#database
      .prepare(
        `INSERT INTO documents (instance_id, datasource, external_id, object_type, title, body, summary, url, author_name,
           author_email, tags, permissions, created_at, updated_at, indexed_at, acl)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
           (SELECT COALESCE(group_concat('p' || p.id, ' '), '') FROM json_each(?12) named
            CROSS JOIN principals p ON p.instance_id = ?1 AND p.kind = named.value ->> 'kind'
              AND p.name = lower(named.value ->> 'name') AND p.datasource = named.value ->> 'datasource'))
         ON CONFLICT (instance_id, datasource, external_id) DO UPDATE SET
           object_type = excluded.object_type, title = excluded.title, body = excluded.body, summary = excluded.summary,
           url = excluded.url, author_name = excluded.author_name, author_email = excluded.author_email,
           tags = excluded.tags, permissions = excluded.permissions, created_at = excluded.created_at,
           updated_at = excluded.updated_at, indexed_at = excluded.indexed_at, acl = excluded.acl`,
      )
      .bind(
        instanceId,
        document.datasource,
        document.externalId,
        document.objectType,
        document.title,
        document.body,
        document.summary,
        document.url,
        document.authorName,
        document.authorEmail,
        JSON.stringify(document.tags),
        JSON.stringify(document.principals),
        document.createdAt,
        document.updatedAt,
        now,
      );
  }
}
