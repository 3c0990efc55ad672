import { runStatement } from "#platform/d1.ts";
import type { AuditEntry, AuditTrail } from "./audit.ts";

/** The audit's one statement: append. Nothing here changes or removes an entry. */
export class D1AuditTrail implements AuditTrail {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async append(entry: AuditEntry): Promise<void> {
    await runStatement(
      this.#database
        .prepare("INSERT INTO audit (instance_id, at, actor, event, detail) VALUES (?1, ?2, ?3, ?4, ?5)")
        .bind(entry.instanceId, entry.at, entry.actor, entry.event, JSON.stringify(entry.detail)),
    );
  }
}
