import { AuditedStore, recordIfChanged } from "#audit/audited-store.sql.ts";
import type { TokenHash } from "#crypto/secrets.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { changesOf, rowsOf, runBatch } from "#platform/d1.ts";

/** The successor of a secret. */
export interface Succeeded {
  readonly successor: TokenHash;
  readonly createdAt: number;
  readonly tokenExpiresAt: number;
  /** Whether the successor was created by this request. */
  readonly isNew: boolean;
}

/** A request for the successor of a secret. */
export interface Succession {
  readonly instanceId: number;
  readonly tokenId: string;
  readonly presented: TokenHash;
  /** Hashes of its possible successors, one for each master key. A new successor is made under the first key. */
  readonly successors: readonly TokenHash[];
  readonly now: number;
  /** When the presented secret ends, if it is the current one. */
  readonly supersededUntil: number;
}

/**
 * An active token, found by the presented secret: ?1 is the secret's hash, ?2 the token, ?3 the instance, ?4 the time.
 */
const PRESENTED = `SELECT 1 FROM service_token_secrets s JOIN service_tokens t ON t.id = s.token_id
  WHERE s.secret_hash = ?1 AND t.id = ?2 AND t.instance_id = ?3 AND t.revoked_at IS NULL AND t.expires_at > ?4`;

/**
 * Only the current secret gets a successor. A superseded one either has a successor already, or was replaced by an administrator.
 */
const IS_CURRENT = `EXISTS (${PRESENTED} AND s.expires_at IS NULL)`;

/** The succession of a token's secrets. */
export class D1Succession extends AuditedStore {
  /**
   * Gives a current secret its successor, or finds the existing one. It is one round trip and one transaction, so of a hundred
   * parallel rotations only one changes anything and is recorded, and all get the same result.
   *
   * The presented secret's end is written last, because the other changes require that it is still the current one.
   *
   * @returns `null` if the token or secret has ended, or if the secret was superseded by something else than its own rotation
   */
  async succeed(succession: Succession, entry: AuditEntry<"service_token_rotated">): Promise<Succeeded | null> {
    const { presented, tokenId, instanceId, now, successors, supersededUntil } = succession;
    const prepare = (sql: string, ...more: unknown[]) =>
      this.statement(sql, [presented, tokenId, instanceId, now, ...more]);
    const results = await runBatch(this.database, [
      prepare(`UPDATE service_tokens SET changed_at = max(?4, changed_at + 1) WHERE id = ?2 AND ${IS_CURRENT}`),
      recordIfChanged(this.database, entry),
      prepare(
        `INSERT INTO service_token_secrets (secret_hash, token_id, holder, created_at)
         SELECT ?5, ?2, holder, ?4 FROM service_token_secrets WHERE secret_hash = ?1 AND ${IS_CURRENT}`,
        successors[0],
      ),
      prepare(
        `UPDATE service_token_secrets SET expires_at = ?5 WHERE secret_hash = ?1 AND ${IS_CURRENT}`,
        supersededUntil,
      ),
      prepare("DELETE FROM service_token_secrets WHERE token_id = ?2 AND expires_at <= ?4"),
      prepare(
        `SELECT s.secret_hash AS successor, s.created_at, t.expires_at
         FROM service_token_secrets s JOIN service_tokens t ON t.id = s.token_id
         WHERE s.secret_hash IN (SELECT value FROM json_each(?5)) AND +s.token_id = ?2 AND EXISTS (${PRESENTED})`,
        JSON.stringify(successors),
      ),
    ]);
    const [found] = rowsOf<{ successor: TokenHash; created_at: number; expires_at: number }>(results, 5);
    if (!found) return null;
    const isNew = changesOf(results, 0) > 0;
    return { successor: found.successor, createdAt: found.created_at, tokenExpiresAt: found.expires_at, isNew };
  }
}
