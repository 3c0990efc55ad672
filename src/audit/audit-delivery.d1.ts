import { allRows, firstRow, runStatement } from "#platform/d1.ts";
import type { DeliveryState, DeliveryStore, DueDelivery } from "./audit-delivery.ts";

/** How far each receiver of audit entries is. */
export class D1AuditDeliveries implements DeliveryStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  due(now: number, limit: number): Promise<DueDelivery[]> {
    return allRows<DueDelivery>(
      this.#database
        .prepare(
          `SELECT i.id AS instanceId, i.name, i.receiver, coalesce(d.delivered_through, 0) AS deliveredThrough,
             coalesce(d.failures, 0) AS failures
           FROM (SELECT id, name, iif(json_valid(settings), settings ->> '$.auditReceiver', NULL) AS receiver FROM instances) i
           LEFT JOIN audit_deliveries d ON d.instance_id = i.id
           WHERE i.receiver IS NOT NULL AND coalesce(d.next_at, 0) <= ?1 AND EXISTS (SELECT 1 FROM audit a
             WHERE a.instance_id = i.id AND a.sequence > coalesce(d.delivered_through, 0) AND a.hash IS NOT NULL)
           ORDER BY coalesce(d.next_at, 0), i.id LIMIT ?2`,
        )
        .bind(now, limit),
    );
  }

  /** The place only grows: of two runs at once, the one that is behind takes nothing back. */
  async noteDelivered(instanceId: number, through: number, now: number): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `INSERT INTO audit_deliveries (instance_id, delivered_through, delivered_at, failures, last_error, next_at)
           VALUES (?1, ?2, ?3, 0, NULL, ?3) ON CONFLICT DO UPDATE SET
             delivered_through = max(delivered_through, ?2), delivered_at = ?3, failures = 0, last_error = NULL, next_at = ?3`,
        )
        .bind(instanceId, through, now),
    );
  }

  async noteFailure(instanceId: number, failures: number, error: string, nextAt: number): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `INSERT INTO audit_deliveries (instance_id, delivered_through, failures, last_error, next_at)
           VALUES (?1, 0, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET failures = ?2, last_error = ?3, next_at = ?4`,
        )
        .bind(instanceId, failures, error, nextAt),
    );
  }

  state(instanceId: number): Promise<DeliveryState | null> {
    return firstRow<DeliveryState>(
      this.#database
        .prepare(
          `SELECT delivered_through AS deliveredThrough, delivered_at AS deliveredAt, failures, last_error AS lastError,
             next_at AS nextAt FROM audit_deliveries WHERE instance_id = ?1`,
        )
        .bind(instanceId),
    );
  }
}
