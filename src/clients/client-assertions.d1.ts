import { firstRow, runStatement } from "#platform/d1.ts";
import type { TokenHash } from "#crypto/hash.ts";
import type { ClientKeys } from "./client-keys.ts";
import type { AssertingClients } from "./client-assertions.ts";

/** What authenticating a client by a signed assertion reads and writes. */
export class D1ClientAssertions implements AssertingClients {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async findKeys(instanceId: number, clientId: string): Promise<{ keys: ClientKeys; isVouchedFor: boolean } | null> {
    const row = await firstRow<{ keys: string; kind: string }>(
      this.#database
        .prepare(
          `SELECT keys, kind FROM clients
           WHERE id = ?1 AND instance_id = ?2 AND keys IS NOT NULL AND disabled_at IS NULL`,
        )
        .bind(clientId, instanceId),
    );
    return row && { keys: JSON.parse(row.keys) as ClientKeys, isVouchedFor: row.kind === "static" };
  }

  /** Check and spending are one statement, so of two requests with one assertion exactly one writes a row. */
  async spend(instanceId: number, clientId: string, jtiHash: TokenHash, expiresAt: number): Promise<boolean> {
    const written = await runStatement(
      this.#database
        .prepare(
          `INSERT INTO client_assertions (instance_id, client_id, jti_hash, expires_at) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT DO NOTHING`,
        )
        .bind(instanceId, clientId, jtiHash, expiresAt),
    );
    return written > 0;
  }

  async sweep(now: number, rowsMax: number): Promise<number> {
    return runStatement(
      this.#database
        .prepare(
          `DELETE FROM client_assertions WHERE (instance_id, client_id, jti_hash) IN (
             SELECT instance_id, client_id, jti_hash FROM client_assertions WHERE expires_at <= ?1 LIMIT ?2)`,
        )
        .bind(now, rowsMax),
    );
  }
}
