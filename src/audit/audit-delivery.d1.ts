import { AuditedStore } from "./audited-store.sql.ts";
import type { AuditEntry } from "./audit.ts";

/** An instance whose receiver lacks entries. */
export interface DueDelivery extends Pick<StoredDelivery, "receiver" | "deliveredThrough" | "failures"> {
  readonly instanceId: number;
  readonly name: string;
  /** The Authorization header for this receiver, as {@link receiverPurpose} seals it. */
  readonly sealedAuthorization: string | null;
}

/** The progress of the delivery to a receiver, as it is stored. */
export interface StoredDelivery {
  /** The address that an administrator set. */
  readonly receiver: string;
  /** Whether an Authorization header for this address is stored. */
  readonly hasAuthorization: boolean;
  /** The sequence number of the last entry that the receiver has. */
  readonly deliveredThrough: number;
  readonly deliveredAt: number | null;
  /** Failures in a row since the last success. */
  readonly failures: number;
  readonly lastError: string | null;
  /** When the next delivery may begin; 0 before the first attempt. */
  readonly nextAt: number;
  /** How many entries the receiver lacks. */
  readonly waiting: number;
  /** When the oldest of them was recorded. */
  readonly waitingSince: number | null;
}

/** The receiver of an instance; `NULL` if its settings are not valid JSON. */
const RECEIVER = "iif(json_valid(i.settings), i.settings ->> '$.auditReceiver', NULL)";

export class D1AuditDeliveries extends AuditedStore {
  /**
   * Claims an instance whose receiver lacks a sealed entry and is not waiting after a failure: the one that has been due the
   * longest. It is one statement, so if two runs overlap, only one gets the instance.
   *
   * @param until when another run may claim it, unless this one notes progress before
   * @param only claims this instance or none, even if it is waiting after a failure
   */
  claim(now: number, until: number, only?: number): Promise<DueDelivery | null> {
    const ofInstance = (value: string) => `(SELECT ${value} FROM instances i WHERE i.id = instance_id)`;
    return this.first<DueDelivery>(
      `INSERT INTO audit_deliveries (instance_id, delivered_through, failures, next_at)
       SELECT i.id, 0, 0, ?2 FROM instances i LEFT JOIN audit_deliveries d ON d.instance_id = i.id
       WHERE ${RECEIVER} IS NOT NULL AND (?3 IS NULL OR i.id = ?3)
         AND (coalesce(d.next_at, 0) <= ?1 OR (?3 IS NOT NULL AND d.failures > 0)) AND EXISTS (SELECT 1 FROM audit a
         WHERE a.instance_id = i.id AND a.sequence > coalesce(d.delivered_through, 0) AND a.hash IS NOT NULL)
       ORDER BY coalesce(d.next_at, 0), i.id LIMIT 1
       ON CONFLICT DO UPDATE SET next_at = ?2
       RETURNING instance_id AS instanceId, delivered_through AS deliveredThrough, failures,
         ${ofInstance("i.name")} AS name, ${ofInstance(RECEIVER)} AS receiver,
         iif(authorization_for = ${ofInstance(RECEIVER)}, sealed_authorization, NULL) AS sealedAuthorization`,
      [now, until, only ?? null],
    );
  }

  /**
   * Notes that a receiver has all entries up to `through`. That only grows: if two runs overlap, the one that is behind doesn't set it
   * back.
   *
   * @param nextAt when the next delivery may begin
   */
  async noteDelivered(instanceId: number, through: number, now: number, nextAt: number): Promise<void> {
    await this.run(
      `INSERT INTO audit_deliveries (instance_id, delivered_through, delivered_at, failures, last_error, next_at)
       VALUES (?1, ?2, ?3, 0, NULL, ?4) ON CONFLICT DO UPDATE SET
         delivered_through = max(delivered_through, ?2), delivered_at = ?3, failures = 0, last_error = NULL, next_at = ?4`,
      [instanceId, through, now, nextAt],
    );
  }

  async noteFailure(instanceId: number, failures: number, error: string, nextAt: number): Promise<void> {
    await this.run(
      `INSERT INTO audit_deliveries (instance_id, delivered_through, failures, last_error, next_at)
       VALUES (?1, 0, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET failures = ?2, last_error = ?3, next_at = ?4`,
      [instanceId, failures, error, nextAt],
    );
  }

  /**
   * Returns the state of a delivery; `null` if there is no receiver.
   *
   * Sequence numbers have no gaps, so the first and the last stored one show how many entries the receiver lacks.
   */
  async state(instanceId: number): Promise<StoredDelivery | null> {
    const row = await this.first<Omit<StoredDelivery, "hasAuthorization"> & { readonly hasAuthorization: 0 | 1 }>(
      `SELECT ${RECEIVER} AS receiver, d.sealed_authorization IS NOT NULL AND d.authorization_for = ${RECEIVER} AS hasAuthorization,
         coalesce(d.delivered_through, 0) AS deliveredThrough, d.delivered_at AS deliveredAt,
         coalesce(d.failures, 0) AS failures, d.last_error AS lastError, coalesce(d.next_at, 0) AS nextAt,
         max(0, coalesce((SELECT max(sequence) FROM audit WHERE instance_id = ?1), 0) - max(coalesce(d.delivered_through, 0),
           coalesce((SELECT min(sequence) FROM audit WHERE instance_id = ?1), 1) - 1)) AS waiting,
         (SELECT at FROM audit WHERE instance_id = ?1 AND sequence > coalesce(d.delivered_through, 0)
          ORDER BY sequence LIMIT 1) AS waitingSince
       FROM instances i LEFT JOIN audit_deliveries d ON d.instance_id = i.id WHERE i.id = ?1 AND ${RECEIVER} IS NOT NULL`,
      [instanceId],
    );
    return row && { ...row, hasAuthorization: row.hasAuthorization === 1 };
  }

  /**
   * Stores the header for a receiver, or deletes the stored one.
   *
   * A new header is used at once, even during the wait after failures.
   *
   * @param sealed as `receiverPurpose` seals it; `null` for none
   * @returns whether that changed anything; `false` if the instance has another receiver by now
   */
  authorize(receiver: string, sealed: string | null, entry: AuditEntry<"audit_receiver_authorized">): Promise<boolean> {
    const authorization = this.statement(
      `INSERT INTO audit_deliveries (instance_id, delivered_through, failures, next_at, sealed_authorization, authorization_for)
       SELECT i.id, 0, 0, 0, ?3, iif(?3 IS NULL, NULL, ?2) FROM instances i WHERE i.id = ?1 AND ${RECEIVER} = ?2
         AND (?3 IS NOT NULL OR EXISTS (SELECT 1 FROM audit_deliveries d
           WHERE d.instance_id = ?1 AND d.sealed_authorization IS NOT NULL))
       ON CONFLICT DO UPDATE SET sealed_authorization = ?3, authorization_for = excluded.authorization_for,
         failures = 0, last_error = NULL, next_at = 0`,
      [entry.instanceId, receiver, sealed],
    );
    return this.decide(authorization, entry);
  }
}
