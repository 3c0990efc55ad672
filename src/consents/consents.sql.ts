import type { PendingKey } from "#authorization-requests/pending-requests.ts";
import type { ConsentScope } from "./consent-scope.ts";
import { inScope } from "./consent-scope.sql.ts";
import type { ConsentKey, RememberedScopes } from "./remembered-consents.ts";

/** Remembers an answer, in the batch that writes its grant and while the request is still pending. */
export function rememberConsent(
  database: D1Database,
  pending: PendingKey,
  key: ConsentKey & { readonly createdAt: number },
  scopes: RememberedScopes,
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO remembered_consents (person_id, client_id, instance_id, redirect_uri, scopes, given_at)
       SELECT ?5, ?6, ?2, ?7, ?8, ?4 WHERE EXISTS (SELECT 1 FROM authorization_requests
         WHERE handle_hash = ?1 AND instance_id = ?2 AND browser_hash = ?3 AND stage = 'consent' AND expires_at > ?4)
       ON CONFLICT DO UPDATE SET scopes = excluded.scopes, given_at = excluded.given_at`,
    )
    .bind(
      pending.handleHash,
      pending.instanceId,
      pending.browserHash,
      key.createdAt,
      key.personId,
      key.clientId,
      key.redirectUri,
      JSON.stringify(scopes),
    );
}

/** Forgets what was allowed, in the batch of what ends it: otherwise the next request would be allowed without a question. */
export function forgetConsents(database: D1Database, instanceId: number, scope: ConsentScope): D1PreparedStatement {
  const { sql, values } = inScope(instanceId, scope);
  return database.prepare(`DELETE FROM remembered_consents WHERE ${sql}`).bind(...values);
}
