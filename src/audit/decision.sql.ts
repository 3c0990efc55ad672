import { changesOf, runBatch, type Statement } from "#platform/d1.ts";
import type { AuditEntry } from "./audit.ts";
import type { AuditedDatabase } from "./audited-database.sql.ts";
import { recordIfChanged } from "./audit-entry.sql.ts";
import type { AuditEvent } from "./audit-events.ts";

/**
 * Runs a decision of one conditional statement, with its entry and what follows from it, in one transaction.
 *
 * @param consequences run whether or not the decision changed anything, so each needs a condition of its own
 * @returns whether the decision changed anything; if not, there is no entry
 */
export async function runDecision<Event extends AuditEvent>(
  database: AuditedDatabase,
  decision: D1PreparedStatement,
  entry: AuditEntry<Event>,
  consequences: readonly Statement[] = [],
): Promise<boolean> {
  return changesOf(await runBatch(database, [decision, recordIfChanged(database, entry), ...consequences]), 0) > 0;
}
