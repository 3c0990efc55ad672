import { allRows, runBatch } from "#platform/d1.ts";
import type { ConnectedApp, ConnectedAppStore } from "./connected-apps.ts";

interface Row {
  readonly client_id: string;
  readonly name: string;
  readonly kind: ConnectedApp["trust"];
  readonly redirect_uris: string;
  readonly scopes: string;
  readonly since: number;
  readonly last_tokens_at: number;
  readonly connections: number;
}

const RUNNING = `g.instance_id = ?1 AND g.person_id = ?2 AND g.redeemed_at IS NOT NULL AND g.revoked_at IS NULL AND g.expires_at > ?3`;

/** A person's running grants, by app. */
export class D1ConnectedApps implements ConnectedAppStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async list(instanceId: number, personId: string, now: number): Promise<ConnectedApp[]> {
    const rows = await allRows<Row>(
      this.#database
        .prepare(
          `SELECT g.client_id, c.name, c.kind, c.redirect_uris, group_concat(g.scope, ' ') AS scopes, min(g.created_at) AS since,
             max(COALESCE(g.rotated_at, g.redeemed_at)) AS last_tokens_at, count(*) AS connections
           FROM grants g JOIN clients c ON c.id = g.client_id AND c.instance_id = g.instance_id
           WHERE ${RUNNING} AND c.disabled_at IS NULL
           GROUP BY g.client_id ORDER BY last_tokens_at DESC`,
        )
        .bind(instanceId, personId, now),
    );
    return rows.map((row) => ({
      clientId: row.client_id,
      name: row.name,
      trust: row.kind,
      redirectUris: JSON.parse(row.redirect_uris) as string[],
      scopes: row.scopes.split(" "),
      since: row.since,
      lastTokensAt: row.last_tokens_at,
      connections: row.connections,
    }));
  }

  async end(instanceId: number, personId: string, clientId: string | null, now: number): Promise<number> {
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `UPDATE grants AS g SET revoked_at = ?3, revoked_reason = 'revoked_by_person'
           WHERE ${RUNNING} AND (?4 IS NULL OR g.client_id = ?4)`,
        )
        .bind(instanceId, personId, now, clientId),
      // Otherwise the app's next request would be allowed without a question.
      this.#database
        .prepare(
          "DELETE FROM remembered_consents WHERE instance_id = ?1 AND person_id = ?2 AND (?3 IS NULL OR client_id = ?3)",
        )
        .bind(instanceId, personId, clientId),
    ]);
    return results[0]?.meta.changes ?? 0;
  }
}
