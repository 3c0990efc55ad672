import { setSetting, unsetSetting } from "#instance/instance.sql.ts";
import { AuditedStore, recordAs } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { changesOf, runBatch } from "#platform/d1.ts";
import type { Logo } from "./logo.ts";

/** The hash of the previous logo. The entry must be recorded before the logo changes. */
const HASH_BEFORE = { before: "(SELECT hash FROM logos WHERE instance_id = ?1)" };

/** Stores logos as base64, because D1 returns a blob as a list of numbers. */
export class D1Logos extends AuditedStore {
  /**
   * Stores the instance's logo and puts its hash into the settings, atomically. The entry gets the hash of the previous logo.
   *
   * @returns whether the logo has changed; if it hasn't, no entry is recorded
   */
  async put(hash: string, { type, bytes }: Logo, entry: AuditEntry<"logo_changed">): Promise<boolean> {
    const isOther = "WHERE NOT EXISTS (SELECT 1 FROM logos WHERE instance_id = ?1 AND hash = ?2 ->> '$.after.hash')";
    const results = await runBatch(this.database, [
      recordAs(this.database, entry, { adds: HASH_BEFORE, condition: isOther }),
      this.statement(
        `INSERT INTO logos (instance_id, hash, type, data) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET hash = ?2, type = ?3, data = ?4`,
        [entry.instanceId, hash, type, encode(bytes)],
      ),
      this.statement(setSetting("logo", "?2"), [entry.instanceId, hash]),
    ]);
    return changesOf(results, 0) > 0;
  }

  /** Returns the logo with this hash; `null` if the instance has a different logo or none. */
  async find(instanceId: number, hash: string): Promise<Logo | null> {
    const row = await this.first<{ type: Logo["type"]; data: string }>(
      "SELECT type, data FROM logos WHERE instance_id = ?1 AND hash = ?2",
      [instanceId, hash],
    );
    return row && { type: row.type, bytes: Uint8Array.from(atob(row.data), (letter) => letter.charCodeAt(0)) };
  }

  /** Removes the logo. @returns whether there was one; if not, no entry is recorded */
  async remove(entry: AuditEntry<"logo_changed">): Promise<boolean> {
    const hasLogo = "WHERE EXISTS (SELECT 1 FROM logos WHERE instance_id = ?1)";
    const results = await runBatch(this.database, [
      recordAs(this.database, entry, { adds: HASH_BEFORE, condition: hasLogo }),
      this.statement("DELETE FROM logos WHERE instance_id = ?1", [entry.instanceId]),
      this.statement(unsetSetting("logo"), [entry.instanceId]),
    ]);
    return changesOf(results, 0) > 0;
  }
}

function encode(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
