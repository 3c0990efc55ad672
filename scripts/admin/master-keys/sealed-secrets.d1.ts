import { readerOf } from "#platform/columns.sql.ts";
import { AuditedStore } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { RESEAL_AUTHORIZATION } from "#audit/audit-delivery.sql.ts";
import { lastUsed, refreshable } from "#grants/running.sql.ts";
import { RESEAL_CLIENT_SECRET, SINGLE_SIGN_ONS } from "#instance/instance.sql.ts";
import { rowsOf, runBatch } from "#platform/d1.ts";
import type { InstanceGrants, OldRefreshTokens, SealedSecret } from "./sealed-secrets.ts";

/** ?1 is the instance, ?2 the old seal, ?3 the new one, ?4 the secret's `kid`. */
const REPLACEMENTS: Readonly<Record<SealedSecret["kind"], string>> = {
  "signing-key": `UPDATE signing_keys SET sealed_private_jwk = ?3
    WHERE instance_id = ?1 AND kid = ?4 AND sealed_private_jwk = ?2`,
  "single-sign-on": RESEAL_CLIENT_SECRET,
  "audit-receiver": RESEAL_AUTHORIZATION,
};

/** The sealed secrets of all instances, and what else depends on a master key. */
export class D1SealedSecrets extends AuditedStore {
  list(): Promise<SealedSecret[]> {
    return this.all(`SELECT 'single-sign-on' AS kind, instances.id AS instanceId, name AS instanceName, '' AS kid,
           value ->> '$.sealedClientSecret' AS sealed
         FROM instances CROSS JOIN ${SINGLE_SIGN_ONS}
         UNION ALL
         SELECT 'signing-key', k.instance_id, i.name, k.kid, k.sealed_private_jwk
         FROM signing_keys k JOIN instances i ON i.id = k.instance_id
         UNION ALL
         SELECT 'audit-receiver', d.instance_id, i.name, d.authorization_for, d.sealed_authorization
         FROM audit_deliveries d JOIN instances i ON i.id = d.instance_id WHERE d.sealed_authorization IS NOT NULL
         ORDER BY instanceId, kind, kid`);
  }

  /**
   * Replaces the seal of a secret, and records that in the same transaction.
   *
   * The condition contains the old seal, so a secret that an administrator has set since is not overwritten. The count includes
   * rows that triggers write.
   *
   * @returns `false` if the secret has changed since it was read
   */
  async replace(
    { kind, instanceId, kid, sealed: before }: SealedSecret,
    sealed: string,
    entry: AuditEntry<"secret_resealed">,
  ): Promise<boolean> {
    const statement = this.statement(REPLACEMENTS[kind], [instanceId, before, sealed, kid]);
    return this.decide(statement, entry);
  }

  /**
   * Notes that a key is the current one, unless this is noted already. @returns since when it is current
   *
   * A key that becomes current again gets a new time, because secrets that the other key sealed are then sealed under an older key.
   */
  async noteCurrent(keyId: string, now: number): Promise<number> {
    const results = await runBatch(this.database, [
      this.statement(
        `INSERT INTO master_keys (id, current_since) VALUES (?1, ?2)
         ON CONFLICT (id) DO UPDATE SET current_since = ?2
         WHERE EXISTS (SELECT 1 FROM master_keys other WHERE other.current_since > master_keys.current_since)`,
        [keyId, now],
      ),
      this.statement("SELECT current_since AS since FROM master_keys WHERE id = ?1", [keyId]),
    ]);
    return rowsOf<{ since: number }>(results, 1)[0]?.since ?? now;
  }

  instances(): Promise<InstanceGrants[]> {
    const read = readerOf<InstanceGrants>()(["settings"]);
    return this.all("SELECT id AS instanceId, settings FROM instances ORDER BY id", [], read);
  }

  /** A grant's current refresh token was made at the last refresh, or else when the code was exchanged. */
  async refreshTokensFromBefore(
    instanceId: number,
    before: number,
    idleSeconds: number,
    now: number,
  ): Promise<OldRefreshTokens> {
    const row = await this.first<OldRefreshTokens>(
      `SELECT count(*) AS grants, max(min(g.expires_at, ${lastUsed("g")} + ?3)) AS until FROM grants g
       WHERE g.instance_id = ?1 AND ${lastUsed("g")} < ?2 AND ${refreshable("g", { now: "?4", idleSeconds: "?3" })}`,
      [instanceId, before, idleSeconds, now],
    );
    return row ?? { grants: 0, until: null };
  }
}
