/**
 * The admin tokens that a person or a token issued, and those that these issued in turn: ?1 is the first issuer, ?2 the instance. Whoever
 * loses their access would keep it by any of them. A pipeline's tokens are not among them: it goes on when an administrator leaves.
 */
export const ADMIN_TOKENS_ISSUED = `WITH RECURSIVE issued (id) AS (
  SELECT id FROM service_tokens WHERE instance_id = ?2 AND created_by = ?1 AND kind = 'admin'
  UNION SELECT t.id FROM service_tokens t JOIN issued ON t.created_by = issued.id
    WHERE t.instance_id = ?2 AND t.kind = 'admin'
) SELECT id FROM issued`;

/** Revokes tokens, whose condition may ask for ?1 and ?2. `changed_at` grows even within one second or by a clock that is behind. */
export function revokeTokens(
  database: D1Database,
  condition: string,
  subject: string,
  instanceId: number,
  at: number,
): D1PreparedStatement {
  return database
    .prepare(
      `UPDATE service_tokens SET revoked_at = ?3, changed_at = max(?3, changed_at + 1)
       WHERE instance_id = ?2 AND revoked_at IS NULL AND (${condition})`,
    )
    .bind(subject, instanceId, at);
}
