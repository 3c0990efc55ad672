import { D1Store } from "#platform/d1-store.ts";
import { deletionOf, firstRow, runStatement } from "#platform/d1.ts";
import type { Share, SpentIdPurpose, SpentIdStore } from "./spent-ids.ts";

export class D1SpentIds extends D1Store implements SpentIdStore {
  /**
   * Check and spending are one statement, so of two requests with one id, exactly one writes a row. The ids of a share are counted
   * only up to its limit. Ids without a share have a statement of their own, because a SELECT reads one more row.
   */
  async spend(
    instanceId: number,
    purpose: SpentIdPurpose,
    idHash: string,
    expiresAt: number,
    share: Pick<Share, "name" | "idsMax"> | undefined,
  ): Promise<boolean> {
    const id = [instanceId, purpose, idHash, expiresAt] as const;
    const insertion = share
      ? this.database
          .prepare(
            `INSERT INTO spent_ids (instance_id, purpose, id_hash, expires_at, share) SELECT ?1, ?2, ?3, ?4, ?5
             WHERE (SELECT count(*) FROM (
               SELECT 1 FROM spent_ids WHERE instance_id = ?1 AND share = ?5 LIMIT ?6)) < ?6
             ON CONFLICT DO NOTHING`,
          )
          .bind(...id, share.name, share.idsMax)
      : this.database
          .prepare(
            `INSERT INTO spent_ids (instance_id, purpose, id_hash, expires_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING`,
          )
          .bind(...id);
    return (await runStatement(insertion)) > 0;
  }

  async isSpent(instanceId: number, purpose: SpentIdPurpose, idHash: string): Promise<boolean> {
    const row = await firstRow(
      this.database
        .prepare("SELECT 1 FROM spent_ids WHERE instance_id = ?1 AND purpose = ?2 AND id_hash = ?3")
        .bind(instanceId, purpose, idHash),
    );
    return row !== null;
  }

  async release(instanceId: number, purpose: SpentIdPurpose, idHash: string): Promise<void> {
    await runStatement(
      this.database
        .prepare("DELETE FROM spent_ids WHERE instance_id = ?1 AND purpose = ?2 AND id_hash = ?3")
        .bind(instanceId, purpose, idHash),
    );
  }

  sweep(now: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("spent_ids", "instance_id, purpose, id_hash", "expires_at <= ?1");
    return runStatement(this.database.prepare(statement).bind(now, rowsMax));
  }
}
