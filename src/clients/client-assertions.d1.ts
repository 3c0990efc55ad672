import { readerOf } from "#platform/columns.sql.ts";
import { D1Store } from "#platform/d1-store.ts";
import type { ClientKeys } from "./client-keys.ts";

/** Who vouches for a client: an administrator who created or approved it, people who allowed it, or nobody yet. */
export type Voucher = "administrator" | "people" | "nobody";

/** The keys of clients that authenticate by a signed assertion, in D1. */
export class D1ClientAssertions extends D1Store {
  /** Finds the keys of an enabled client that may use assertions. */
  findKeys(instanceId: number, clientId: string): Promise<{ keys: ClientKeys; vouchedForBy: Voucher } | null> {
    return this.first(
      `SELECT keys, CASE WHEN kind = 'static' OR kept_at IS NOT NULL OR EXISTS (SELECT 1 FROM service_accounts s
           WHERE s.instance_id = clients.instance_id AND s.workload ->> '$.client' = clients.id) THEN 'administrator'
         WHEN last_authorized_at IS NOT NULL THEN 'people' ELSE 'nobody' END AS vouchedForBy
       FROM clients WHERE id = ?1 AND instance_id = ?2 AND keys IS NOT NULL AND disabled_at IS NULL`,
      [clientId, instanceId],
      readerOf<{ keys: ClientKeys; vouchedForBy: Voucher }>()(["keys"]),
    );
  }
}
