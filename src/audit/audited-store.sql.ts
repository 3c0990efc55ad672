import { D1Store } from "#platform/d1-store.ts";
import { changesOf, runBatch, type Statement } from "#platform/d1.ts";
import type { AuditEntry } from "./audit.ts";
import { recordIfChanged } from "./audit-entry.sql.ts";
import type { AuditEvent } from "./audit-events.ts";
import type { AuditedDatabase } from "./audited-database.sql.ts";

/** Statements over the database that record acts. */
export abstract class AuditedStore extends D1Store<AuditedDatabase> {
  /**
   * Runs a decision of one conditional statement, with its entry and what follows from it, in one transaction.
   *
   * @param consequences run whether or not the decision changed anything, so each needs a condition of its own
   * @returns whether the decision changed anything; if not, there is no entry
   */
  protected async decide<Event extends AuditEvent>(
    decision: D1PreparedStatement,
    entry: AuditEntry<Event>,
    consequences: readonly Statement[] = [],
  ): Promise<boolean> {
    const results = await runBatch(this.database, [decision, recordIfChanged(this.database, entry), ...consequences]);
    return changesOf(results, 0) > 0;
  }
}
