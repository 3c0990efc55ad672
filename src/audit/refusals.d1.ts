import { AuditedStore, recordAs } from "./audited-store.sql.ts";
import { runBatch } from "#platform/d1.ts";
import type { RefusedRequest } from "./audit-events.ts";

export interface AuditedRefusal {
  readonly instanceId: number;
  readonly at: number;
  /** The person, token or app; `undefined` if the caller is unknown. */
  readonly actor: string | undefined;
  readonly detail: RefusedRequest;
}

const HOUR_SECONDS = 3600;

/**
 * Maximum entries of an instance within an hour. Unknown callers have their own limit, so they can't crowd out the others.
 */
const ENTRIES_PER_HOUR = { access_refused: 120, request_refused: 30 } as const;

/**
 * Refusals in the audit. The limit is a condition of the statement that writes, so it applies to all isolates together.
 */
export class D1Refusals extends AuditedStore {
  /** Records refusals, up to the hourly limits of each instance for known and for unknown callers. */
  async record(refusals: readonly AuditedRefusal[]): Promise<void> {
    await runBatch(
      this.database,
      refusals.map(({ actor, ...entry }) => {
        const event = actor === undefined ? "request_refused" : "access_refused";
        const lately = `SELECT 1 FROM audit INDEXED BY audit_refusals WHERE instance_id = ?1 AND event = '${event}'
          AND event IN ('access_refused', 'request_refused') AND at > ?3 - ${HOUR_SECONDS}`;
        const condition = `WHERE NOT EXISTS (${lately} LIMIT 1 OFFSET ${ENTRIES_PER_HOUR[event] - 1})`;
        const holder = "(SELECT person_id FROM grants WHERE id = ?2 ->> '$.grantId' AND instance_id = ?1)";
        const who = event === "access_refused" ? { actor: `iif(?4 = ?2 ->> '$.grantId', ${holder}, ?4)` } : {};
        return recordAs(this.database, { ...entry, event, actor: actor ?? "unknown" }, { condition, ...who });
      }),
    );
  }
}
