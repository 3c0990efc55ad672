import { firstRow, runBatch } from "#platform/d1.ts";
import {
  aclOf,
  filtersOf,
  insertFilterTerms,
  insertIntersectionGroups,
  insertPrincipals,
} from "#search-index/index-words.sql.ts";
import type { IndexableDocument } from "./document.ts";
import type { DocumentStore } from "./documents.ts";

/** D1 takes a parameter of at most 2 MB, in bytes; a character has at most three in UTF-8 for one of ours. */
const LIST_CHARACTERS_MAX = 500_000;

/**
 * Documents and their permissions. D1 binds at most 100 parameters a statement, so lists travel as JSON parameters.
 *
 * A document that is indexed while an upload of its datasource is being stored is newer than the upload, also in the second
 * in which that was completed: `indexed_at` says so, and the upload leaves it alone.
 */
export class D1DocumentStore implements DocumentStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async upsert(instanceId: number, documents: readonly IndexableDocument[], now: number): Promise<void> {
    const principals = distinct(documents.flatMap((document) => document.principals));
    const intersections = distinct(
      documents.flatMap((document) => document.principals.filter(({ kind }) => kind === "intersection")),
    );
    const terms = distinct(documents.flatMap((document) => document.terms));
    const insert = (sql: string, list: string) => this.#database.prepare(sql).bind(instanceId, list);
    await runBatch(this.#database, [
      ...chunks(principals).map((list) => insert(INSERT_PRINCIPALS, list)),
      ...chunks(intersections).map((list) => insert(INSERT_INTERSECTION_GROUPS, list)),
      ...chunks(terms).map((list) => insert(INSERT_FILTER_TERMS, list)),
      ...documents.map((document) => this.#document(instanceId, document, now)),
    ]);
  }

  async remove(instanceId: number, datasource: string, externalId: string): Promise<void> {
    await runBatch(this.#database, [
      this.#database
        .prepare("DELETE FROM documents WHERE instance_id = ?1 AND datasource = ?2 AND external_id = ?3")
        .bind(instanceId, datasource, externalId),
      this.#database
        .prepare(
          `DELETE FROM staged_documents WHERE external_id = ?3 AND upload = (
             SELECT id FROM bulk_uploads WHERE instance_id = ?1 AND datasource = ?2 AND stage = 'storing')`,
        )
        .bind(instanceId, datasource, externalId),
    ]);
  }

  async count(instanceId: number, datasource: string): Promise<number> {
    const row = await firstRow<{ documents: number }>(
      this.#database
        .prepare("SELECT count(*) AS documents FROM documents WHERE instance_id = ?1 AND datasource = ?2")
        .bind(instanceId, datasource),
    );
    return row?.documents ?? 0;
  }

  #document(instanceId: number, document: IndexableDocument, now: number): D1PreparedStatement {
    return this.#database
      .prepare(
        `INSERT INTO documents (instance_id, datasource, external_id, object_type, title, body, summary, url, author_name,
           author_email, tags, permissions, created_at, updated_at, keywords, acl, filters, indexed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ${aclOf("?12")}, ${filtersOf("?16")},
           max(?17, COALESCE((SELECT completed_at + 1 FROM bulk_uploads
             WHERE instance_id = ?1 AND datasource = ?2 AND stage IN ('storing', 'removing')), 0)))
         ON CONFLICT (instance_id, datasource, external_id) DO UPDATE SET
           object_type = excluded.object_type, title = excluded.title, body = excluded.body, summary = excluded.summary,
           url = excluded.url, author_name = excluded.author_name, author_email = excluded.author_email,
           tags = excluded.tags, permissions = excluded.permissions, created_at = excluded.created_at,
           updated_at = excluded.updated_at, keywords = excluded.keywords, acl = excluded.acl,
           filters = excluded.filters, indexed_at = excluded.indexed_at`,
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
        document.keywords,
        JSON.stringify(document.terms),
        now,
      );
  }
}

const INSERT_PRINCIPALS = insertPrincipals("json_each(?2)");
const INSERT_INTERSECTION_GROUPS = insertIntersectionGroups("json_each(?2)");
const INSERT_FILTER_TERMS = insertFilterTerms("json_each(?2)");

/** Each entry once, as JSON. */
function distinct(entries: readonly unknown[]): string[] {
  return [...new Set(entries.map((entry) => JSON.stringify(entry)))];
}

/** JSON arrays of the entries, each within what one parameter may hold. */
function chunks(entries: readonly string[]): string[] {
  const lists: string[][] = [];
  let characters = LIST_CHARACTERS_MAX;
  for (const entry of entries) {
    if (characters + entry.length > LIST_CHARACTERS_MAX) {
      lists.push([]);
      characters = 0;
    }
    lists.at(-1)?.push(entry);
    characters += entry.length;
  }
  return lists.map((list) => `[${list.join(",")}]`);
}
