import { asMembers, readerOf } from "#platform/columns.sql.ts";
import { AuditedStore, recordIfChanged } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { changesOf, rowsOf, runBatch, runStatement, StorageUnavailable } from "#platform/d1.ts";
import type { PublishedKey } from "#instance/policy-snapshot.ts";

/** A key as administrators see it. */
export interface ListedSigningKey {
  readonly kid: string;
  readonly stage: "next" | "signing" | "retired";
  readonly createdAt: number;
  /** When it entered its stage. */
  readonly stagedAt: number;
}

export interface StoredSigningKey {
  readonly kid: string;
  readonly publicJwk: PublishedKey["publicJwk"];
  readonly sealedPrivateJwk: string;
}

const fromRow = readerOf<StoredSigningKey>()(["publicJwk"]);

const COLUMNS = asMembers("kid, public_jwk, sealed_private_jwk");

const SIGNING = `SELECT ${COLUMNS} FROM signing_keys WHERE instance_id = ?1 AND stage = 'signing'`;

/**
 * Signing keys in D1. A partial unique index allows one signing and one next key per instance, so if two isolates each make one,
 * the second is ignored.
 */
export class D1SigningKeyStore extends AuditedStore {
  /** Stores the key as the instance's signing key unless there is one already. Returns the stored one. */
  async addIfNone(instanceId: number, key: StoredSigningKey, now: number): Promise<StoredSigningKey> {
    const results = await runBatch(this.database, [
      this.#insert(instanceId, key, "signing", now),
      this.statement(SIGNING, [instanceId]),
    ]);
    const [row] = rowsOf<Parameters<typeof fromRow>[0]>(results, 1);
    if (!row) throw new StorageUnavailable("the signing key was not stored");
    return fromRow(row);
  }

  list(instanceId: number): Promise<ListedSigningKey[]> {
    return this.all(
      `SELECT kid, stage, created_at AS createdAt, staged_at AS stagedAt FROM signing_keys
       WHERE instance_id = ?1 ORDER BY stage = 'retired', stage = 'next', staged_at DESC`,
      [instanceId],
    );
  }

  async readSigning(instanceId: number): Promise<StoredSigningKey | null> {
    return this.first(SIGNING, [instanceId], fromRow);
  }

  /** Publishes the key as the next one, unless there is one already. */
  async addNext(instanceId: number, key: StoredSigningKey, now: number): Promise<void> {
    await runStatement(this.#insert(instanceId, key, "next", now));
  }

  /** Lists instances whose key has been signing since before this time and that have no next key, oldest first. */
  withoutNext(signingSince: number, instancesMax: number): Promise<{ instanceId: number; name: string }[]> {
    return this.all(
      `SELECT k.instance_id AS instanceId, i.name FROM signing_keys k JOIN instances i ON i.id = k.instance_id
       WHERE k.stage = 'signing' AND k.staged_at <= ?1 AND NOT EXISTS
         (SELECT 1 FROM signing_keys n WHERE n.instance_id = k.instance_id AND n.stage = 'next')
       ORDER BY k.staged_at LIMIT ?2`,
      [signingSince, instancesMax],
    );
  }

  /** Lists instances whose next key was published before this time, oldest first. */
  withNext(publishedSince: number, instancesMax: number): Promise<{ instanceId: number; name: string }[]> {
    return this.all(
      `SELECT k.instance_id AS instanceId, i.name FROM signing_keys k JOIN instances i ON i.id = k.instance_id
       WHERE k.stage = 'next' AND k.staged_at <= ?1
       ORDER BY k.staged_at LIMIT ?2`,
      [publishedSince, instancesMax],
    );
  }

  /** Makes the next key sign and retires the current one, in one transaction. */
  async promote(instanceId: number, now: number): Promise<void> {
    await runBatch(this.database, this.#promotion(instanceId, now));
  }

  /**
   * Makes the next key sign, or this one if there is none, and records that in the same transaction. If the old key is compromised,
   * this one signs in any case and every other key is deleted: if one key leaked, the waiting ones may have leaked too.
   *
   * @returns whether another key signs now
   */
  async replace(key: StoredSigningKey, entry: AuditEntry<"signing_key_rotated">): Promise<boolean> {
    const { instanceId, at, detail } = entry;
    const deleteAll = (stage: "next" | "retired") =>
      detail.isCompromised
        ? [this.statement("DELETE FROM signing_keys WHERE instance_id = ?1 AND stage = ?2", [instanceId, stage])]
        : [];
    const before = [
      ...deleteAll("next"),
      this.#insert(instanceId, key, "next", at),
      ...this.#promotion(instanceId, at),
    ];
    const results = await runBatch(this.database, [
      ...before,
      recordIfChanged(this.database, entry),
      ...deleteAll("retired"),
    ]);
    return changesOf(results, before.length) > 0;
  }

  /** Deletes keys that retired before this time. */
  async deleteRetired(retiredBefore: number): Promise<void> {
    await this.run("DELETE FROM signing_keys WHERE stage = 'retired' AND staged_at < ?1", [retiredBefore]);
  }

  /**
   * Returns the statements that make the next key sign. Without a next key they change nothing: if two cron triggers promote, the
   * second must not retire the first one's key.
   */
  #promotion(instanceId: number, now: number): D1PreparedStatement[] {
    const hasNext = "EXISTS (SELECT 1 FROM signing_keys n WHERE n.instance_id = ?1 AND n.stage = 'next')";
    return [
      this.statement(
        `UPDATE signing_keys SET stage = 'retired', staged_at = ?2
         WHERE instance_id = ?1 AND stage = 'signing' AND ${hasNext}`,
        [instanceId, now],
      ),
      this.statement(
        "UPDATE signing_keys SET stage = 'signing', staged_at = ?2 WHERE instance_id = ?1 AND stage = 'next'",
        [instanceId, now],
      ),
    ];
  }

  #insert(instanceId: number, key: StoredSigningKey, stage: "next" | "signing", now: number): D1PreparedStatement {
    return this.statement(
      `INSERT INTO signing_keys (kid, instance_id, public_jwk, sealed_private_jwk, stage, created_at, staged_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT DO NOTHING`,
      [key.kid, instanceId, JSON.stringify(key.publicJwk), key.sealedPrivateJwk, stage, now],
    );
  }
}
