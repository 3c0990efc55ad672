import { deletionOf, firstRow, runStatement } from "#platform/d1.ts";
import type { SpentIdPurpose, SpentIdStore } from "./spent-ids.ts";

export class D1SpentIds implements SpentIdStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  /** Check and spending are one statement, so of two requests with one id, exactly one writes a row. */
  async spend(instanceId: number, purpose: SpentIdPurpose, idHash: string, expiresAt: number): Promise<boolean> {
    const written = await runStatement(
      this.#database
        .prepare(
          `INSERT INTO spent_ids (instance_id, purpose, id_hash, expires_at) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT DO NOTHING`,
        )
        .bind(instanceId, purpose, idHash, expiresAt),
    );
    return written > 0;
  }

  async isSpent(instanceId: number, purpose: SpentIdPurpose, idHash: string): Promise<boolean> {
    const row = await firstRow(
      this.#database
        .prepare("SELECT 1 FROM spent_ids WHERE instance_id = ?1 AND purpose = ?2 AND id_hash = ?3")
        .bind(instanceId, purpose, idHash),
    );
    return row !== null;
  }

  async release(instanceId: number, purpose: SpentIdPurpose, idHash: string): Promise<void> {
    await runStatement(
      this.#database
        .prepare("DELETE FROM spent_ids WHERE instance_id = ?1 AND purpose = ?2 AND id_hash = ?3")
        .bind(instanceId, purpose, idHash),
    );
  }

  sweep(now: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("spent_ids", "instance_id, purpose, id_hash", "expires_at <= ?1");
    return runStatement(this.#database.prepare(statement).bind(now, rowsMax));
  }
}
