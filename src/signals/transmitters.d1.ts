import { asMembers } from "#platform/columns.sql.ts";
import { AuditedStore } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { TokenHash } from "#crypto/secrets.ts";
import { type StoredTransmitter, type Transmitter, TRANSMITTERS_MAX } from "./transmitter.ts";

type Row = Omit<StoredTransmitter, "configuration">;

const COLUMNS = `configuration AS text, ${asMembers("authorization_hash, created_at, changed_at, verified_at")}`;

/**
 * The systems that may sign people out. Each security event reads its transmitter, so a removal takes effect at once.
 */
export class D1Transmitters extends AuditedStore {
  async find(instanceId: number, issuer: string): Promise<StoredTransmitter | null> {
    return this.first(
      `SELECT ${COLUMNS} FROM signal_transmitters WHERE instance_id = ?1 AND issuer = ?2`,
      [instanceId, issuer],
      fromRow,
    );
  }

  async list(instanceId: number): Promise<StoredTransmitter[]> {
    return this.all(
      `SELECT ${COLUMNS} FROM signal_transmitters WHERE instance_id = ?1 ORDER BY created_at, issuer`,
      [instanceId],
      fromRow,
    );
  }

  /**
   * Adds a transmitter, or replaces the one that was seen.
   *
   * The statement requires what was seen, and that there is room. If two administrators write at once, one of them learns of the
   * other's change.
   *
   * @returns `false` if something else is stored by now, or there are {@link TRANSMITTERS_MAX}
   */
  async put(
    transmitter: Transmitter,
    authorizationHash: TokenHash | null,
    seen: StoredTransmitter | null,
    entry: AuditEntry<"signal_transmitter_changed">,
  ): Promise<boolean> {
    const values = [
      entry.instanceId,
      transmitter.issuer,
      JSON.stringify(transmitter),
      authorizationHash,
      entry.at,
    ] as const;
    const decision = seen
      ? this.statement(
          `UPDATE signal_transmitters SET configuration = ?3, authorization_hash = ?4, changed_at = ?5
           WHERE instance_id = ?1 AND issuer = ?2 AND configuration = ?6 AND authorization_hash IS ?7`,
          [...values, seen.text, seen.authorizationHash],
        )
      : this.statement(
          `INSERT INTO signal_transmitters (instance_id, issuer, configuration, authorization_hash, created_at, changed_at)
           SELECT ?1, ?2, ?3, ?4, ?5, ?5
           WHERE (SELECT count(*) FROM signal_transmitters WHERE instance_id = ?1) < ?6 ON CONFLICT DO NOTHING`,
          [...values, TRANSMITTERS_MAX],
        );
    return this.decide(decision, entry);
  }

  async remove(issuer: string, entry: AuditEntry<"signal_transmitter_removed">): Promise<boolean> {
    const removal = this.statement("DELETE FROM signal_transmitters WHERE instance_id = ?1 AND issuer = ?2", [
      entry.instanceId,
      issuer,
    ]);
    return this.decide(removal, entry);
  }

  async noteVerified(instanceId: number, issuer: string, at: number): Promise<void> {
    await this.run("UPDATE signal_transmitters SET verified_at = ?3 WHERE instance_id = ?1 AND issuer = ?2", [
      instanceId,
      issuer,
      at,
    ]);
  }
}

function fromRow(row: Row): StoredTransmitter {
  return { ...row, configuration: JSON.parse(row.text) as Transmitter };
}
