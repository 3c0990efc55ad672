import { AuditedStore } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { GlossaryEntry } from "./glossary.ts";

/** An instance's glossary as it is stored. */
export interface StoredGlossary {
  readonly entries: readonly GlossaryEntry[];
  /** The entries as the stored JSON, to detect changes; `null` if nobody has entered any. */
  readonly text: string | null;
  readonly changedAt: number | null;
}

/** The glossaries of instances in D1, one row each. A search reads them from the policy snapshot, never from here. */
export class D1Glossaries extends AuditedStore {
  async read(instanceId: number): Promise<StoredGlossary> {
    const row = await this.first<{ entries: string; changed_at: number }>(
      "SELECT entries, changed_at FROM glossaries WHERE instance_id = ?1",
      [instanceId],
    );
    if (!row) return { entries: [], text: null, changedAt: null };
    return { entries: JSON.parse(row.entries) as GlossaryEntry[], text: row.entries, changedAt: row.changed_at };
  }

  /**
   * Replaces the entries if they are still as seen, so two administrators can't overwrite each other's change.
   *
   * @returns `false` if they changed in the meantime
   */
  async replace(
    entries: readonly GlossaryEntry[],
    seen: StoredGlossary,
    entry: AuditEntry<"glossary_changed">,
  ): Promise<boolean> {
    const replacement = this.statement(
      `INSERT INTO glossaries (instance_id, entries, changed_at) SELECT ?1, ?2, ?3
       WHERE ?4 IS (SELECT entries FROM glossaries WHERE instance_id = ?1)
       ON CONFLICT DO UPDATE SET entries = ?2, changed_at = ?3`,
      [entry.instanceId, JSON.stringify(entries), entry.at, seen.text],
    );
    return this.decide(replacement, entry);
  }
}
