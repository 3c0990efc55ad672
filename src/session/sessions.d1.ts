import { AuditedStore } from "#audit/audited-database.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { recordAs, recordCount } from "#audit/audit-entry.sql.ts";
import type { TokenHash } from "#crypto/hash.ts";
import { signOutsOf } from "#spent-ids/sign-outs.sql.ts";
import type { Role } from "#people/role.ts";
import { allRows, changesOf, deletionOf, firstRow, runBatch, runStatement } from "#platform/d1.ts";
import { type OwnSession, type RunningSession, SESSIONS_PER_PERSON, type SessionStore } from "./session.ts";
import { type SessionSignInStore, type SessionSignInUnderWay, STEP_UPS_PER_PERSON } from "./session-sign-in.ts";

interface SessionRow {
  readonly instance_id: number;
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role | null;
  readonly last_used_at: number;
  readonly authenticated_at: number | null;
}

/** Stores sessions and sign-ins in progress, by the hashes of their secrets. */
export class D1Sessions extends AuditedStore implements SessionStore, SessionSignInStore {
  async beginSignIn(
    key: Parameters<SessionSignInStore["beginSignIn"]>[0],
    signIn: SessionSignInUnderWay,
    expiresAt: number,
  ): Promise<void> {
    const { returnTo, personId, sealedForm } = signIn;
    const beginning = this.database
      .prepare(
        `INSERT INTO session_sign_ins
           (state_hash, instance_id, browser_hash, return_to, person_id, sealed_form, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
      )
      .bind(key.stateHash, key.instanceId, key.browserHash, returnTo, personId, sealedForm, expiresAt);
    if (personId === null) await runStatement(beginning);
    else await runBatch(this.database, [this.#makeRoomForStepUp(personId), beginning]);
  }

  #makeRoomForStepUp(personId: string): D1PreparedStatement {
    return this.database
      .prepare(
        `DELETE FROM session_sign_ins WHERE state_hash IN (SELECT state_hash FROM session_sign_ins
           WHERE person_id = ?1 ORDER BY expires_at DESC LIMIT -1 OFFSET ?2)`,
      )
      .bind(personId, STEP_UPS_PER_PERSON - 1);
  }

  async claimSignIn(
    key: Parameters<SessionSignInStore["claimSignIn"]>[0],
    now: number,
  ): Promise<SessionSignInUnderWay | null> {
    const row = await firstRow<{ return_to: string; person_id: string | null; sealed_form: string | null }>(
      this.database
        .prepare(
          `DELETE FROM session_sign_ins
           WHERE state_hash = ?1 AND instance_id = ?2 AND browser_hash = ?3 AND expires_at > ?4
           RETURNING return_to, person_id, sealed_form`,
        )
        .bind(key.stateHash, key.instanceId, key.browserHash, now),
    );
    return row && { returnTo: row.return_to, personId: row.person_id, sealedForm: row.sealed_form };
  }

  async begin(
    instanceId: number,
    secretHash: TokenHash,
    { personId, signOuts, ssoSession }: Parameters<SessionSignInStore["begin"]>[2],
    authenticatedAt: number | null,
    now: number,
    expiresAt: number,
  ): Promise<boolean> {
    const results = await runBatch(this.database, [
      this.database
        .prepare(
          `INSERT INTO sessions
             (secret_hash, instance_id, person_id, created_at, last_used_at, authenticated_at, expires_at, sso_session)
           SELECT ?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7 WHERE ${signOutsOf("?3", "?2", "?7")} = ?8`,
        )
        .bind(secretHash, instanceId, personId, now, authenticatedAt, expiresAt, ssoSession ?? null, signOuts),
      // Afterwards, so that a refused sign-in ends no other session. Of sessions that began in the same second, the new one stays.
      this.database
        .prepare(
          `DELETE FROM sessions WHERE secret_hash IN (SELECT secret_hash FROM sessions WHERE person_id = ?1 AND instance_id = ?3
             ORDER BY secret_hash = ?4 DESC, created_at DESC, secret_hash LIMIT -1 OFFSET ?2)`,
        )
        .bind(personId, SESSIONS_PER_PERSON, instanceId, secretHash),
    ]);
    return changesOf(results, 0) > 0;
  }

  async find(secretHash: TokenHash, now: number, usedAfter: number): Promise<RunningSession | null> {
    const row = await firstRow<SessionRow>(
      this.database
        .prepare(
          `SELECT s.instance_id, p.id, p.name, p.email, p.role, s.last_used_at, s.authenticated_at
           FROM sessions s JOIN people p ON p.id = s.person_id AND p.instance_id = s.instance_id
           WHERE s.secret_hash = ?1 AND s.expires_at > ?2 AND s.last_used_at > ?3 AND p.deactivated_at IS NULL`,
        )
        .bind(secretHash, now, usedAfter),
    );
    if (!row) return null;
    return {
      instanceId: row.instance_id,
      person: { id: row.id, name: row.name, email: row.email, role: row.role },
      lastUsedAt: row.last_used_at,
      authenticatedAt: row.authenticated_at,
    };
  }

  async recordUse(instanceId: number, secretHash: TokenHash, now: number, usedAfter: number): Promise<void> {
    await runStatement(
      this.database
        .prepare(
          `UPDATE sessions SET last_used_at = ?3
           WHERE secret_hash = ?2 AND instance_id = ?1 AND last_used_at > ?4 AND last_used_at < ?3`,
        )
        .bind(instanceId, secretHash, now, usedAfter),
    );
  }

  async end(instanceId: number, secretHash: TokenHash, at: number): Promise<void> {
    const entry: AuditEntry<"signed_out"> = { instanceId, at, actor: "", event: "signed_out", detail: {} };
    await runBatch(this.database, [
      recordAs(this.database, entry, {
        adds: { email: "(SELECT email FROM people WHERE id = person_id)" },
        condition: "FROM sessions WHERE secret_hash = ?6 AND instance_id = ?1",
        actor: "person_id",
        bound: [secretHash],
      }),
      this.database
        .prepare("DELETE FROM sessions WHERE secret_hash = ?2 AND instance_id = ?1")
        .bind(instanceId, secretHash),
    ]);
  }

  async ofPerson(
    instanceId: number,
    personId: string,
    thisHash: TokenHash,
    now: number,
    usedAfter: number,
  ): Promise<OwnSession[]> {
    const rows = await allRows<{ secret_hash: string; created_at: number; last_used_at: number }>(
      this.database
        .prepare(
          `SELECT secret_hash, created_at, last_used_at FROM sessions
           WHERE person_id = ?2 AND instance_id = ?1 AND expires_at > ?3 AND last_used_at > ?4
           ORDER BY created_at DESC, secret_hash`,
        )
        .bind(instanceId, personId, now, usedAfter),
    );
    return rows.map((row) => ({
      since: row.created_at,
      lastUsedAt: row.last_used_at,
      isThis: row.secret_hash === thisHash,
    }));
  }

  async endOthers(personId: string, thisHash: TokenHash, entry: AuditEntry<"sessions_ended">): Promise<number> {
    const results = await runBatch(this.database, [
      this.database
        .prepare("DELETE FROM sessions WHERE person_id = ?1 AND instance_id = ?2 AND secret_hash <> ?3")
        .bind(personId, entry.instanceId, thisHash),
      recordCount(this.database, entry, "sessions"),
    ]);
    return changesOf(results, 0);
  }

  async endAll(entry: AuditEntry<"sessions_ended">): Promise<{ sessions: number; signIns: number }> {
    const of = (table: string) => `FROM ${table} WHERE instance_id = ?1`;
    const results = await runBatch(this.database, [
      recordAs(this.database, entry, {
        adds: { sessions: `(SELECT count(*) ${of("sessions")})` },
        condition: `WHERE EXISTS (SELECT 1 ${of("sessions")}) OR EXISTS (SELECT 1 ${of("session_sign_ins")})`,
      }),
      this.database.prepare(`DELETE ${of("sessions")}`).bind(entry.instanceId),
      this.database.prepare(`DELETE ${of("session_sign_ins")}`).bind(entry.instanceId),
    ]);
    return { sessions: changesOf(results, 1), signIns: changesOf(results, 2) };
  }

  async count(instanceId: number, now: number, usedAfter: number): Promise<number> {
    const row = await firstRow<{ sessions: number }>(
      this.database
        .prepare(
          `SELECT count(*) AS sessions FROM sessions
           WHERE instance_id = ?1 AND expires_at > ?2 AND last_used_at > ?3`,
        )
        .bind(instanceId, now, usedAfter),
    );
    return row?.sessions ?? 0;
  }

  sweepSignIns(now: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("session_sign_ins", "state_hash", "expires_at <= ?1");
    return runStatement(this.database.prepare(statement).bind(now, rowsMax));
  }

  sweep(now: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("sessions", "secret_hash", "expires_at <= ?1");
    return runStatement(this.database.prepare(statement).bind(now, rowsMax));
  }
}
