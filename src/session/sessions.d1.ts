import { asMembers } from "#platform/columns.sql.ts";
import { AuditedStore, recordAs, recordCount } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { TokenHash } from "#crypto/secrets.ts";
import { signOutsOf } from "#spent-ids/sign-outs.sql.ts";
import type { Authentication } from "#single-sign-on/sign-in.ts";
import type { Role } from "#people/role.ts";
import { changesOf, deletionOf, runBatch, runStatement } from "#platform/d1.ts";

/** The person who is signed in to our own pages, with their current role. */
export interface SignedInPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role | null;
  /** The SSO where they sign in. */
  readonly ssoIssuer: string | null;
}

/** What identifies a sign-in in progress. */
interface SignInKey {
  readonly stateHash: TokenHash;
  readonly instanceId: number;
  readonly browserHash: TokenHash;
}

/** A sign-in in progress, while the browser is at the SSO. */
export interface SessionSignInUnderWay {
  readonly returnTo: string;
  /** For a step-up, the person who has to sign in; otherwise `null`. */
  readonly personId: string | null;
  readonly sealedForm: string | null;
  /** The SSO that the browser was sent to. */
  readonly ssoIssuer: string;
}

/**
 * The most step-ups of one person that can be in progress; a new one displaces the oldest. Each can contain a form, so without a
 * limit, a signed-in person could fill the storage.
 */
const STEP_UPS_PER_PERSON = 20;

/** One of a person's sessions, as they see it. */
export interface OwnSession {
  /** The browser and its system, such as "Firefox, Windows"; empty if unknown. */
  readonly device: string;
  readonly since: number;
  /** To within a few minutes. */
  readonly lastUsedAt: number;
  readonly isThis: boolean;
}

/** A session as it is stored. Times are Unix seconds. */
export interface RunningSession {
  readonly instanceId: number;
  readonly person: SignedInPerson;
  /** To within a few minutes. */
  readonly lastUsedAt: number;
  /** When the person authenticated at the SSO; `null` if unknown or if the settings don't accept how they did. */
  readonly authenticatedAt: number | null;
  /** When the person signed in, however they did. */
  readonly signedInAt: number;
}

/**
 * The most sessions of one person; a new one ends the oldest, so that nobody can fill the table by signing in (ASVS 5.0 §7.1.2).
 */
export const SESSIONS_PER_PERSON = 20;

/** Stores sessions and sign-ins in progress, by the hashes of their secrets. */
export class D1Sessions extends AuditedStore {
  /** Stores a new sign-in, and keeps only the latest {@link STEP_UPS_PER_PERSON} step-ups of a person. */
  async beginSignIn(key: SignInKey, signIn: SessionSignInUnderWay, expiresAt: number): Promise<void> {
    const { returnTo, personId, sealedForm, ssoIssuer } = signIn;
    const beginning = this.statement(
      `INSERT INTO session_sign_ins
         (state_hash, instance_id, browser_hash, return_to, person_id, sealed_form, expires_at, sso_issuer)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
      [key.stateHash, key.instanceId, key.browserHash, returnTo, personId, sealedForm, expiresAt, ssoIssuer],
    );
    if (personId === null) await runStatement(beginning);
    else await runBatch(this.database, [this.#makeRoomForStepUp(personId), beginning]);
  }

  #makeRoomForStepUp(personId: string): D1PreparedStatement {
    return this.statement(
      `DELETE FROM session_sign_ins WHERE state_hash IN (SELECT state_hash FROM session_sign_ins
       WHERE person_id = ?1 ORDER BY expires_at DESC LIMIT -1 OFFSET ?2)`,
      [personId, STEP_UPS_PER_PERSON - 1],
    );
  }

  /**
   * Returns and deletes the sign-in of a browser that comes back. It works only once: check and claim are one statement.
   */
  async claimSignIn(key: SignInKey, now: number): Promise<SessionSignInUnderWay | null> {
    return this.first<SessionSignInUnderWay>(
      `DELETE FROM session_sign_ins
       WHERE state_hash = ?1 AND instance_id = ?2 AND browser_hash = ?3 AND expires_at > ?4
       RETURNING ${asMembers("return_to, person_id, sealed_form, sso_issuer")}`,
      [key.stateHash, key.instanceId, key.browserHash, now],
    );
  }

  /** Starts a session. @returns `false` if the person or their session at the SSO was signed out meanwhile */
  async begin(
    instanceId: number,
    secretHash: TokenHash,
    { personId, signOuts, ssoSession, signedInAt }: Omit<Authentication, "authenticatedAt" | "acr">,
    authenticatedAt: number | null,
    now: number,
    expiresAt: number,
    device: string,
  ): Promise<boolean> {
    const results = await runBatch(this.database, [
      this.statement(
        `INSERT INTO sessions
           (secret_hash, instance_id, person_id, created_at, last_used_at, authenticated_at, expires_at, sso_session, device, signed_in_at)
         SELECT ?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?9, ?10 WHERE ${signOutsOf("?3", "?2", "?7")} = ?8`,
        [
          secretHash,
          instanceId,
          personId,
          now,
          authenticatedAt,
          expiresAt,
          ssoSession ?? null,
          signOuts,
          device,
          signedInAt,
        ],
      ),
      // Afterwards, so that a refused sign-in ends no other session. Of sessions that began in the same second, the new one stays.
      this.statement(
        `DELETE FROM sessions WHERE secret_hash IN (SELECT secret_hash FROM sessions WHERE person_id = ?1 AND instance_id = ?3
         ORDER BY secret_hash = ?4 DESC, created_at DESC, secret_hash LIMIT -1 OFFSET ?2)`,
        [personId, SESSIONS_PER_PERSON, instanceId, secretHash],
      ),
    ]);
    return changesOf(results, 0) > 0;
  }

  /**
   * Returns a session that hasn't expired and was used after `usedAfter`; `null` if there is none or its person is deactivated. The
   * caller checks its instance, which may not be known yet.
   */
  async find(secretHash: TokenHash, now: number, usedAfter: number): Promise<RunningSession | null> {
    const row = await this.first<Omit<RunningSession, "person"> & SignedInPerson>(
      `SELECT ${asMembers("s.instance_id, p.id, p.name, p.email, p.role, p.sso_issuer, s.last_used_at, s.authenticated_at, s.signed_in_at")}
       FROM sessions s JOIN people p ON p.id = s.person_id AND p.instance_id = s.instance_id
       WHERE s.secret_hash = ?1 AND s.expires_at > ?2 AND s.last_used_at > ?3 AND p.deactivated_at IS NULL`,
      [secretHash, now, usedAfter],
    );
    if (!row) return null;
    const { id, name, email, role, ssoIssuer, ...session } = row;
    return { ...session, person: { id, name, email, role, ssoIssuer } };
  }

  /** Records a use, unless the session was idle for too long: check and update are one statement. */
  async recordUse(instanceId: number, secretHash: TokenHash, now: number, usedAfter: number): Promise<void> {
    await this.run(
      `UPDATE sessions SET last_used_at = ?3
       WHERE secret_hash = ?2 AND instance_id = ?1 AND last_used_at > ?4 AND last_used_at < ?3`,
      [instanceId, secretHash, now, usedAfter],
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
      this.statement("DELETE FROM sessions WHERE secret_hash = ?2 AND instance_id = ?1", [instanceId, secretHash]),
    ]);
  }

  /** Returns a person's sessions, newest first. */
  async ofPerson(
    instanceId: number,
    personId: string,
    thisHash: TokenHash,
    now: number,
    usedAfter: number,
  ): Promise<OwnSession[]> {
    const rows = await this.all<{ secret_hash: string; created_at: number; last_used_at: number; device: string }>(
      `SELECT secret_hash, created_at, last_used_at, device FROM sessions
       WHERE person_id = ?2 AND instance_id = ?1 AND expires_at > ?3 AND last_used_at > ?4
       ORDER BY created_at DESC, secret_hash`,
      [instanceId, personId, now, usedAfter],
    );
    return rows.map((row) => ({
      device: row.device,
      since: row.created_at,
      lastUsedAt: row.last_used_at,
      isThis: row.secret_hash === thisHash,
    }));
  }

  /**
   * Ends a person's other sessions. The entry gets their number; if there are none, it isn't recorded.
   *
   * @returns how many
   */
  async endOthers(personId: string, thisHash: TokenHash, entry: AuditEntry<"sessions_ended">): Promise<number> {
    const results = await runBatch(this.database, [
      this.statement("DELETE FROM sessions WHERE person_id = ?1 AND instance_id = ?2 AND secret_hash <> ?3", [
        personId,
        entry.instanceId,
        thisHash,
      ]),
      recordCount(this.database, entry, "sessions"),
    ]);
    return changesOf(results, 0);
  }

  /** Ends all sessions and all sign-ins in progress. The entry gets the number of sessions. @returns how many */
  async endAll(entry: AuditEntry<"sessions_ended">): Promise<{ sessions: number; signIns: number }> {
    const of = (table: string) => `FROM ${table} WHERE instance_id = ?1`;
    const results = await runBatch(this.database, [
      recordAs(this.database, entry, {
        adds: { sessions: `(SELECT count(*) ${of("sessions")})` },
        condition: `WHERE EXISTS (SELECT 1 ${of("sessions")}) OR EXISTS (SELECT 1 ${of("session_sign_ins")})`,
      }),
      this.statement(`DELETE ${of("sessions")}`, [entry.instanceId]),
      this.statement(`DELETE ${of("session_sign_ins")}`, [entry.instanceId]),
    ]);
    return { sessions: changesOf(results, 1), signIns: changesOf(results, 2) };
  }

  async count(instanceId: number, now: number, usedAfter: number): Promise<number> {
    const row = await this.first<{ sessions: number }>(
      `SELECT count(*) AS sessions FROM sessions
       WHERE instance_id = ?1 AND expires_at > ?2 AND last_used_at > ?3`,
      [instanceId, now, usedAfter],
    );
    return row?.sessions ?? 0;
  }

  /** Deletes at most `rowsMax` expired sign-ins that were never completed. @returns how many */
  sweepSignIns(now: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("session_sign_ins", "state_hash", "expires_at <= ?1");
    return this.run(statement, [now, rowsMax]);
  }

  /** Deletes at most `rowsMax` expired sessions. @returns how many */
  sweep(now: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("sessions", "secret_hash", "expires_at <= ?1");
    return this.run(statement, [now, rowsMax]);
  }
}
