import type { AuditEntry } from "#audit/audit.ts";
import type { GlossaryEntry } from "./glossary.ts";

/** An instance's glossary as it is stored. */
export interface StoredGlossary {
  readonly entries: readonly GlossaryEntry[];
  /** The entries as the stored JSON, to detect changes; `null` if nobody has entered any. */
  readonly text: string | null;
  readonly changedAt: number | null;
}

export interface GlossaryReader {
  read(instanceId: number): Promise<StoredGlossary>;
}

export interface GlossaryStore extends GlossaryReader {
  /**
   * Replaces the entries if they are still as seen, and writes the audit entry.
   *
   * @returns `false` if they changed in the meantime
   */
  replace(
    instanceId: number,
    entries: readonly GlossaryEntry[],
    seen: StoredGlossary,
    entry: AuditEntry<"glossary_changed">,
  ): Promise<boolean>;
}
