import type { TokenHash } from "#crypto/hash.ts";
import type { ConsentScope } from "./consent-scope.ts";
import { inScope } from "./consent-scope.sql.ts";
import { type ConsentKey, CONSENTS_PER_PERSON, type RememberedScopes } from "./remembered-consents.ts";

/** Remembers an answer, in the batch that writes its grant, and only if the grant with this code was written. */
export function rememberConsent(
  database: D1Database,
  codeHash: TokenHash,
  key: ConsentKey & { readonly createdAt: number },
  scopes: RememberedScopes,
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO remembered_consents (person_id, client_id, instance_id, redirect_uri, scopes, given_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM grants WHERE code_hash = ?7)
         AND ((SELECT count(*) FROM remembered_consents WHERE person_id = ?1) < ?8 OR EXISTS (SELECT 1 FROM
           remembered_consents WHERE person_id = ?1 AND client_id = ?2 AND redirect_uri = ?4))
       ON CONFLICT DO UPDATE SET scopes = excluded.scopes, given_at = excluded.given_at`,
    )
    .bind(
      key.personId,
      key.clientId,
      key.instanceId,
      key.redirectUri,
      JSON.stringify(scopes),
      key.createdAt,
      codeHash,
      CONSENTS_PER_PERSON,
    );
}

/**
 * Forgets what was allowed, in the batch of what ends it: otherwise the next request would be allowed without a question.
 *
 * @param condition what else has to hold of the rows: SQL without parameters
 */
export function forgetConsents(
  database: D1Database,
  instanceId: number,
  scope: ConsentScope,
  condition: string,
): D1PreparedStatement {
  const { sql, values } = inScope(instanceId, scope);
  return database.prepare(`DELETE FROM remembered_consents WHERE ${sql} AND ${condition}`).bind(...values);
}
