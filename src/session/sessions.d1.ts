import type { TokenHash } from "#crypto/hash.ts";
import { firstRow, runBatch, runStatement } from "#platform/d1.ts";
import type { SessionStore, SignedInPerson } from "./session.ts";

interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly is_administrator: number;
}

/** Sessions and the sign-ins that lead to them, by the hashes of their secrets. */
export class D1Sessions implements SessionStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async beginSignIn(signIn: Parameters<SessionStore["beginSignIn"]>[0]): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `INSERT INTO session_sign_ins (state_hash, instance_id, browser_hash, return_to, expires_at)
           VALUES (?1, ?2, ?3, ?4, ?5)`,
        )
        .bind(signIn.stateHash, signIn.instanceId, signIn.browserHash, signIn.returnTo, signIn.expiresAt),
    );
  }

  async claimSignIn(key: Parameters<SessionStore["claimSignIn"]>[0], now: number): Promise<string | null> {
    const row = await firstRow<{ return_to: string }>(
      this.#database
        .prepare(
          `DELETE FROM session_sign_ins
           WHERE state_hash = ?1 AND instance_id = ?2 AND browser_hash = ?3 AND expires_at > ?4
           RETURNING return_to`,
        )
        .bind(key.stateHash, key.instanceId, key.browserHash, now),
    );
    return row && row.return_to;
  }

  async begin(
    instanceId: number,
    secretHash: TokenHash,
    personId: string,
    now: number,
    expiresAt: number,
  ): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `INSERT INTO sessions (secret_hash, instance_id, person_id, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)`,
        )
        .bind(secretHash, instanceId, personId, now, expiresAt),
    );
  }

  async find(instanceId: number, secretHash: TokenHash, now: number): Promise<SignedInPerson | null> {
    const row = await firstRow<PersonRow>(
      this.#database
        .prepare(
          `SELECT p.id, p.name, p.email, p.is_administrator FROM sessions s JOIN people p ON p.id = s.person_id
           WHERE s.secret_hash = ?2 AND s.instance_id = ?1 AND s.expires_at > ?3 AND p.deactivated_at IS NULL`,
        )
        .bind(instanceId, secretHash, now),
    );
    return row && { id: row.id, name: row.name, email: row.email, isAdministrator: row.is_administrator === 1 };
  }

  async end(instanceId: number, secretHash: TokenHash): Promise<void> {
    await runStatement(
      this.#database
        .prepare("DELETE FROM sessions WHERE secret_hash = ?2 AND instance_id = ?1")
        .bind(instanceId, secretHash),
    );
  }

  async endAll(instanceId: number): Promise<number> {
    const results = await runBatch(this.#database, [
      this.#database.prepare("DELETE FROM session_sign_ins WHERE instance_id = ?1").bind(instanceId),
      this.#database.prepare("DELETE FROM sessions WHERE instance_id = ?1").bind(instanceId),
    ]);
    return results[1]?.meta.changes ?? 0;
  }

  async count(instanceId: number, now: number): Promise<number> {
    const row = await firstRow<{ sessions: number }>(
      this.#database
        .prepare("SELECT count(*) AS sessions FROM sessions WHERE instance_id = ?1 AND expires_at > ?2")
        .bind(instanceId, now),
    );
    return row?.sessions ?? 0;
  }

  async sweepSignIns(now: number, rowsMax: number): Promise<number> {
    return runStatement(
      this.#database
        .prepare(
          `DELETE FROM session_sign_ins WHERE state_hash IN
             (SELECT state_hash FROM session_sign_ins WHERE expires_at <= ?1 LIMIT ?2)`,
        )
        .bind(now, rowsMax),
    );
  }

  async sweep(now: number, rowsMax: number): Promise<number> {
    return runStatement(
      this.#database
        .prepare(
          `DELETE FROM sessions WHERE secret_hash IN
             (SELECT secret_hash FROM sessions WHERE expires_at <= ?1 LIMIT ?2)`,
        )
        .bind(now, rowsMax),
    );
  }
}
