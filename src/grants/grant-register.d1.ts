import { allRows, firstRow, runBatch } from "#platform/d1.ts";
import type { GrantRegisterStore, GrantSearch, ListedGrant } from "./grant-register.ts";

const LISTED = `
  SELECT g.id, p.email AS personEmail, g.client_id AS clientId, c.name AS clientName, g.scope, g.created_at AS createdAt,
    COALESCE(g.rotated_at, g.redeemed_at) AS lastTokensAt, g.expires_at AS expiresAt
  FROM grants g JOIN people p ON p.id = g.person_id JOIN clients c ON c.id = g.client_id AND c.instance_id = g.instance_id
  WHERE g.instance_id = ?1 AND g.redeemed_at IS NOT NULL AND g.revoked_at IS NULL AND g.expires_at > ?2`;

/** Running grants with their people and clients. */
export class D1GrantRegister implements GrantRegisterStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  list(
    instanceId: number,
    { person, client }: GrantSearch,
    before: { readonly createdAt: number; readonly id: string } | null,
    limit: number,
    now: number,
  ): Promise<ListedGrant[]> {
    return allRows(
      this.#database
        .prepare(
          `${LISTED} AND substr(p.email, 1, length(?3)) = lower(?3)
             AND (?4 = '' OR c.id = ?4 OR substr(lower(c.name), 1, length(?4)) = lower(?4))
             AND (?5 IS NULL OR (g.created_at, g.id) < (?5, ?6))
           ORDER BY g.created_at DESC, g.id DESC LIMIT ?7`,
        )
        .bind(instanceId, now, person, client, before?.createdAt ?? null, before?.id ?? null, limit),
    );
  }

  find(instanceId: number, grantId: string, now: number): Promise<ListedGrant | null> {
    return firstRow(this.#database.prepare(`${LISTED} AND g.id = ?3`).bind(instanceId, now, grantId));
  }

  async revoke(instanceId: number, grantId: string, reason: string, now: number): Promise<boolean> {
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `UPDATE grants SET revoked_at = ?3, revoked_reason = ?4 WHERE id = ?1 AND instance_id = ?2 AND revoked_at IS NULL`,
        )
        .bind(grantId, instanceId, now, reason),
      // Otherwise the app's next request would be allowed without a question.
      this.#database
        .prepare(
          `DELETE FROM remembered_consents WHERE instance_id = ?2 AND (person_id, client_id) IN
             (SELECT person_id, client_id FROM grants WHERE id = ?1 AND instance_id = ?2)`,
        )
        .bind(grantId, instanceId),
    ]);
    return (results[0]?.meta.changes ?? 0) > 0;
  }

  async revokeAll(instanceId: number, reason: string, now: number): Promise<number> {
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `UPDATE grants SET revoked_at = ?2, revoked_reason = ?3
           WHERE instance_id = ?1 AND revoked_at IS NULL AND expires_at > ?2`,
        )
        .bind(instanceId, now, reason),
      this.#database.prepare("DELETE FROM remembered_consents WHERE instance_id = ?1").bind(instanceId),
    ]);
    return results[0]?.meta.changes ?? 0;
  }
}
