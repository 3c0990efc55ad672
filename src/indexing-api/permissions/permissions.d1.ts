import { firstRow, rowsOf, runBatch } from "#platform/d1.ts";
import { HELD_PRINCIPALS_BY_EMAIL, isVisible } from "#search-index/held-principals.sql.ts";
import { aclOf, insertIntersectionGroups, insertPrincipals } from "#search-index/index-words.sql.ts";
import type { DocumentName, PermissionStore } from "./document-permissions.ts";
import type { Principal } from "./permissions.ts";

/** Document ?4 of datasource ?3. */
const DOCUMENT = "instance_id = ?1 AND datasource = ?3 AND external_id = ?4";

/** The same in an upload that is being stored. */
const STAGED = `external_id = ?4 AND upload = (
  SELECT id FROM bulk_uploads WHERE instance_id = ?1 AND datasource = ?3 AND stage = 'storing')`;

/** Whether with ?5 bytes of permissions it has at most ?6. */
const STAGED_FITS = "bytes - octet_length(permissions) + ?5 <= ?6";
const FITTING_STAGED = `${STAGED} AND ${STAGED_FITS}`;

/** A document that is about to be replaced by one for which the permissions are too large keeps its own: both change, or neither. */
const FITTING = `${DOCUMENT}
  AND ?5 + octet_length(title) + octet_length(body) + octet_length(COALESCE(summary, '')) + octet_length(url)
    + octet_length(tags) + octet_length(keywords) <= ?6
  AND NOT EXISTS (SELECT 1 FROM staged_documents WHERE ${STAGED} AND NOT (${STAGED_FITS}))`;

/** All principals of the list, if there is a document for them: for one that is not, nothing is written. */
const NAMED = `(SELECT value FROM json_each(?2) WHERE EXISTS (SELECT 1 FROM documents WHERE ${FITTING})
  OR EXISTS (SELECT 1 FROM staged_documents WHERE ${FITTING_STAGED}))`;

export class D1PermissionStore implements PermissionStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  /** One statement changes the document, whatever it weighs; those before it give its principals their ids. */
  async replace(
    { instanceId, datasource, externalId }: DocumentName,
    principals: readonly Principal[],
    { bytes, documentBytesMax }: { readonly bytes: number; readonly documentBytesMax: number },
  ): Promise<"updated" | "unknown" | "too-large"> {
    const about = [instanceId, JSON.stringify(principals), datasource, externalId, bytes, documentBytesMax] as const;
    const results = await runBatch(this.#database, [
      this.#database.prepare(insertPrincipals(NAMED)).bind(...about),
      this.#database.prepare(insertIntersectionGroups(NAMED)).bind(...about),
      this.#database
        .prepare(`UPDATE documents SET permissions = ?2, acl = ${aclOf("?2")} WHERE ${FITTING}`)
        .bind(...about),
      this.#database.prepare(`UPDATE staged_documents SET permissions = ?2 WHERE ${FITTING_STAGED}`).bind(...about),
      this.#database
        .prepare(`SELECT 1 FROM documents WHERE ${DOCUMENT} UNION ALL SELECT 1 FROM staged_documents WHERE ${STAGED}`)
        .bind(instanceId, null, datasource, externalId),
    ]);
    if ([2, 3].some((index) => (results[index]?.meta.changes ?? 0) > 0)) return "updated";
    return rowsOf(results, 4).length > 0 ? "too-large" : "unknown";
  }

  async isVisible({ instanceId, datasource, externalId }: DocumentName, email: string): Promise<boolean | undefined> {
    const row = await firstRow<{ visible: number }>(
      this.#database
        .prepare(
          `WITH ${HELD_PRINCIPALS_BY_EMAIL}
           SELECT ${isVisible("d.acl")} AS visible FROM documents d
           WHERE d.instance_id = ?1 AND d.datasource = ?3 AND d.external_id = ?4`,
        )
        .bind(instanceId, email, datasource, externalId),
    );
    return row === null ? undefined : row.visible === 1;
  }
}
