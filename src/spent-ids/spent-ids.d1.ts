import { D1Store, deletionOf, runStatement } from "#platform/d1.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** A part of an instance's ids with a limit, for senders that nobody chose: they fill no table, and no part but their own. */
export interface Share {
  readonly name: string;
  readonly idsMax: number;
  /** Why further ids are refused. */
  readonly reason: RefusalReason;
}

/** What an id is used for. The same id can be spent once for each purpose. */
export type SpentIdPurpose =
  | "client_assertion"
  | "id_jag"
  | "logout_token"
  | "own_form"
  | "security_event"
  | "sso_session"
  | "token_revocation"
  | "workload_identity";

/** An identifier that its sender uses once. */
export interface SpentId {
  readonly instanceId: number;
  readonly purpose: SpentIdPurpose;
  /** The sender of the message: the client, the issuer, or the person who sends a form. */
  readonly sender: string;
  readonly id: string;
  /** When the message stops being accepted, including the clock tolerance. */
  readonly expiresAt: number;
  /** The part that the id counts in; absent for senders that an administrator chose. */
  readonly share?: Share | undefined;
}

/** The id of a form that was refused after its id was spent. */
export type ReleasedId = Omit<SpentId, "expiresAt" | "share"> & { readonly purpose: "own_form" };

export class D1SpentIds extends D1Store {
  /**
   * Writes an id. @returns `false` if it was already there, or its share has no room
   *
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
      ? this.statement(
          `INSERT INTO spent_ids (instance_id, purpose, id_hash, expires_at, share) SELECT ?1, ?2, ?3, ?4, ?5
           WHERE (SELECT count(*) FROM (
             SELECT 1 FROM spent_ids WHERE instance_id = ?1 AND share = ?5 LIMIT ?6)) < ?6
           ON CONFLICT DO NOTHING`,
          [...id, share.name, share.idsMax],
        )
      : this.statement(
          `INSERT INTO spent_ids (instance_id, purpose, id_hash, expires_at) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT DO NOTHING`,
          [...id],
        );
    return (await runStatement(insertion)) > 0;
  }

  async isSpent(instanceId: number, purpose: SpentIdPurpose, idHash: string): Promise<boolean> {
    const row = await this.first("SELECT 1 FROM spent_ids WHERE instance_id = ?1 AND purpose = ?2 AND id_hash = ?3", [
      instanceId,
      purpose,
      idHash,
    ]);
    return row !== null;
  }

  /** Deletes an id. */
  async release(instanceId: number, purpose: SpentIdPurpose, idHash: string): Promise<void> {
    await this.run("DELETE FROM spent_ids WHERE instance_id = ?1 AND purpose = ?2 AND id_hash = ?3", [
      instanceId,
      purpose,
      idHash,
    ]);
  }

  /** Deletes ids that have expired, up to a limit. Returns how many. */
  sweep(now: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("spent_ids", "instance_id, purpose, id_hash", "expires_at <= ?1");
    return this.run(statement, [now, rowsMax]);
  }
}
