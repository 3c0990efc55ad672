import type { D1Glossaries, StoredGlossary } from "#glossary/glossaries.d1.ts";
import { changedEntries, type GlossaryEntry, requireEntries } from "#glossary/glossary.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Acts, type RequireSeen } from "./acts.ts";

/** The most changed entries that one audit entry lists. */
const LISTED_MAX = 100;

/** Decisions about what an organisation's words are also called. */
export class GlossaryActs extends Acts<{ readonly store: D1Glossaries }> {
  /**
   * Replaces all entries. The next search uses them, everywhere within the age of a policy snapshot.
   *
   * @param requireSeen throws if the glossary is not what the administrator saw
   * @returns whether that changed anything
   * @throws {AdministrationRefused} naming the wrong member, or if somebody else changes the glossary at the same moment
   */
  async replace(wanted: readonly GlossaryEntry[], requireSeen?: RequireSeen<StoredGlossary>): Promise<boolean> {
    const entries = requireEntries(wanted);
    const seen = await this.parts.store.read(this.instance.id);
    await requireSeen?.(seen);
    const { added, removed } = changedEntries(seen.entries, entries);
    if (added.length + removed.length === 0) return false;
    const entry = this.entry("glossary_changed", {
      entries: entries.length,
      added: added.slice(0, LISTED_MAX),
      removed: removed.slice(0, LISTED_MAX),
    });
    if (await this.parts.store.replace(entries, seen, entry)) return this.concluded(true);
    throw new AdministrationRefused("Somebody else changed the glossary: reload it, then try again", "entries");
  }
}
