import { D1Store } from "#platform/d1-store.ts";
import type { Statement } from "#platform/d1.ts";
import type { AuditEntry } from "./audit.ts";
import type { AuditEvent } from "./audit-events.ts";
import type { AuditedDatabase } from "./audited-database.sql.ts";
import { runDecision } from "./decision.sql.ts";

/** Statements over the database that record acts. */
export abstract class AuditedStore extends D1Store<AuditedDatabase> {
  /** Does the same as {@link runDecision} in this database. */
  protected decide<Event extends AuditEvent>(
    decision: D1PreparedStatement,
    entry: AuditEntry<Event>,
    consequences?: readonly Statement[],
  ): Promise<boolean> {
    return runDecision(this.database, decision, entry, consequences);
  }
}
