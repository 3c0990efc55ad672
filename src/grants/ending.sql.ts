import { recordCount } from "#audit/audit-entry.sql.ts";
import { inScope } from "#consents/consent-scope.sql.ts";
import { forgetConsents } from "#consents/consents.sql.ts";
import { consentsOf, type Ending } from "./ending.ts";

/**
 * Ends grants, for the batch of the act that ends them: the first statement is the only one that does. The second records it, the
 * third forgets what was allowed.
 *
 * Grants that nothing can come of any more are left as they are; one that is merely idle is ended, as a longer idle lifetime
 * would revive it.
 */
export function endGrants(
  database: D1Database,
  ending: Ending,
): [ended: D1PreparedStatement, entry: D1PreparedStatement, forgotten: D1PreparedStatement] {
  const { instanceId, scope, reason, actor, at } = ending;
  const { sql, values } = inScope(instanceId, consentsOf(scope), 3);
  const one = scope.kind === "grant" ? { sql: ` AND id = ?${3 + values.length}`, values: [scope.grantId] } : undefined;
  const { kind, ...ids } = scope;
  return [
    database
      .prepare(
        `UPDATE grants SET revoked_at = ?1, revoked_reason = ?2
         WHERE revoked_at IS NULL AND (expires_at > ?1 OR tokens_until > ?1) AND ${sql}${one?.sql ?? ""}`,
      )
      .bind(at, reason, ...values, ...(one?.values ?? [])),
    recordCount(
      database,
      { instanceId, at, actor, event: "grants_ended", detail: { scope: kind, ...ids, reason } },
      "grants",
    ),
    forgetConsents(database, instanceId, consentsOf(scope)),
  ];
}
