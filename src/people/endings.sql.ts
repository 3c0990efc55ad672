import { endGrants } from "#grants/ending.sql.ts";
import type { EndReason } from "#grants/ending.ts";

/** Whose, why, and who decided it. */
export interface PersonEnding {
  readonly instanceId: number;
  readonly personId: string;
  readonly reason: EndReason;
  readonly actor: string;
  /** Seconds. */
  readonly at: number;
}

/**
 * Ends everything that a person holds: what their apps were granted and what is remembered of their consents, their service-issued
 * tokens, their sessions, and every request of theirs that is under way.
 */
export function endEverythingOf(database: D1Database, ending: PersonEnding): D1PreparedStatement[] {
  const { instanceId, personId, at, actor, reason } = ending;
  const prepare = (sql: string, ...more: unknown[]) => database.prepare(sql).bind(personId, instanceId, ...more);
  return [
    ...endGrants(database, { instanceId, scope: { kind: "person", personId }, reason, actor, at }),
    prepare(
      `UPDATE service_tokens SET revoked_at = ?3, changed_at = max(?3, changed_at + 1)
       WHERE person_id = ?1 AND instance_id = ?2 AND revoked_at IS NULL`,
      at,
    ),
    prepare("DELETE FROM sessions WHERE person_id = ?1 AND instance_id = ?2"),
    prepare("DELETE FROM authorization_requests WHERE person_id = ?1 AND instance_id = ?2"),
  ];
}
