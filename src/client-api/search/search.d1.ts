import { allRows } from "#platform/d1.ts";
import { type FoundDocument, MARK_END, MARK_START, type SearchIndex, type SearchPlan } from "./search.ts";

interface Row {
  readonly datasource: string;
  readonly external_id: string;
  readonly object_type: string;
  readonly title: string;
  readonly url: string;
  readonly author_name: string | null;
  readonly author_email: string | null;
  readonly created_at: number | null;
  readonly updated_at: number | null;
  readonly snippet: string;
}

/**
 * Who the person is, as permissions name them: everyone, themselves, and their groups as the directory has them now. Read in
 * the statement that searches, so that what they may see is decided at the moment they ask. The cross joins make SQLite look up
 * the person's few groups; in the order that it would choose, it reads every group that any document names.
 */
const HELD_PRINCIPALS = `
  person AS (SELECT email, directory_groups FROM people WHERE id = ?2 AND instance_id = ?1 AND deactivated_at IS NULL),
  held (id) AS (
    SELECT p.id FROM person JOIN principals p ON p.instance_id = ?1 AND p.kind = 'everyone'
    UNION
    SELECT p.id FROM person JOIN principals p ON p.instance_id = ?1 AND p.kind = 'person' AND p.name = person.email
    UNION
    SELECT p.id FROM person CROSS JOIN json_each(person.directory_groups) g
      CROSS JOIN principals p ON p.instance_id = ?1 AND p.kind = 'group' AND p.name = lower(g.value)
  )`;

/**
 * Permissions inside the index: the person's principals stand in the MATCH expression beside their words, so the index never
 * yields a row that they may not see. Their words stay in the text columns, their principals in `acl`.
 *
 * bm25 weighs a word of the title as ten of the body, and the permission column not at all.
 */
export class D1SearchIndex implements SearchIndex {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async find(plan: SearchPlan): Promise<FoundDocument[]> {
    const rows = await allRows<Row>(
      this.#database
        .prepare(
          `WITH ${HELD_PRINCIPALS}
           SELECT d.datasource, d.external_id, d.object_type, d.title, d.url, d.author_name, d.author_email,
             d.created_at, d.updated_at, snippet(documents_fts, 1, ?6, ?7, '…', ?5) AS snippet
           FROM documents_fts JOIN documents d ON d.id = documents_fts.rowid
           WHERE documents_fts MATCH
               ?3 || ' AND acl : (' || COALESCE((SELECT group_concat('p' || id, ' OR ') FROM held), 'p0') || ')'
             AND d.instance_id = ?1
             AND (?4 IS NULL OR d.datasource IN (SELECT value FROM json_each(?4)))
           ORDER BY bm25(documents_fts, 10.0, 1.0, 0.0), d.id DESC
           LIMIT ?8 OFFSET ?9`,
        )
        .bind(
          plan.instanceId,
          plan.personId,
          plan.match,
          plan.datasources === null ? null : JSON.stringify(plan.datasources),
          plan.snippetTokens,
          MARK_START,
          MARK_END,
          plan.limit,
          plan.offset,
        ),
    );
    return rows.map((row) => ({
      datasource: row.datasource,
      externalId: row.external_id,
      objectType: row.object_type,
      title: row.title,
      url: row.url,
      authorName: row.author_name,
      authorEmail: row.author_email,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      snippet: row.snippet,
    }));
  }
}
