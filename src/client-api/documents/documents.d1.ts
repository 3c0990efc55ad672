import { allRows } from "#platform/d1.ts";
import { customDataOf } from "#search-index/custom-data.sql.ts";
import { HELD_PRINCIPALS, isVisible } from "#search-index/held-principals.sql.ts";
import type { DocumentRequest, NamedDocument, VisibleDocuments } from "./get-documents.ts";

/** JSON, where it differs. */
interface Row extends Omit<NamedDocument, "customData"> {
  readonly customData: string;
}

/**
 * Looks each name up, and whether the person may see what it names, in one statement. Of several documents with one URL, it is
 * the oldest that they may see.
 */
export class D1VisibleDocuments implements VisibleDocuments {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async read(request: DocumentRequest): Promise<NamedDocument[]> {
    const visibleOf = (condition: string) =>
      `(SELECT d.id FROM documents d WHERE d.instance_id = ?1 AND ${condition} AND ${isVisible("d.acl")} ORDER BY d.id LIMIT 1)`;
    const rows = await allRows<Row>(
      this.#database
        .prepare(
          `WITH ${HELD_PRINCIPALS},
           named (position, id) AS MATERIALIZED (
             SELECT n.key, CASE WHEN n.value ->> 'url' IS NULL
               THEN ${visibleOf("d.datasource = n.value ->> 'datasource' AND d.external_id = n.value ->> 'externalId'")}
               ELSE ${visibleOf("d.url = n.value ->> 'url'")} END
             FROM json_each(?3) n)
           SELECT n.position, d.datasource, d.external_id AS externalId, d.object_type AS objectType, d.title, d.url,
             d.author_name AS authorName, d.author_email AS authorEmail, d.created_at AS createdAt,
             d.updated_at AS updatedAt,
             CASE WHEN ?4 THEN ${customDataOf("d.id")} ELSE '[]' END AS customData,
             CASE WHEN ?5 AND (SELECT sum(octet_length(body)) FROM named CROSS JOIN documents USING (id)) <= ?6
               THEN d.body END AS content
           FROM named n CROSS JOIN documents d ON d.id = n.id`,
        )
        .bind(
          request.instanceId,
          request.personId,
          JSON.stringify(request.names),
          request.withCustomData ? 1 : 0,
          request.withContent ? 1 : 0,
          request.contentBytesMax,
        ),
    );
    return rows.map((row) => ({ ...row, customData: JSON.parse(row.customData) as NamedDocument["customData"] }));
  }
}
