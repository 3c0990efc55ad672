import { rowsOf, runBatch } from "#platform/d1.ts";
import type { Identity, People, SignInOutcome } from "./people.ts";

/**
 * Three statements, one transaction: claim the row that an administrator made for this email and that nobody has claimed;
 * otherwise insert or update by issuer and subject, unless the email belongs to another subject; then look.
 */
export class D1People implements People {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async signIn(instanceId: number, identity: Identity, newPersonId: string, now: number): Promise<SignInOutcome> {
    const { issuer, subject, email, name } = identity;
    const groups = JSON.stringify(identity.groups);
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `UPDATE people SET sso_issuer = ?2, sso_subject = ?3
           WHERE instance_id = ?1 AND email = ?4 AND sso_subject IS NULL
             AND NOT EXISTS (SELECT 1 FROM people WHERE instance_id = ?1 AND sso_issuer = ?2 AND sso_subject = ?3)`,
        )
        .bind(instanceId, issuer, subject, email),
      this.#database
        .prepare(
          `INSERT INTO people (id, instance_id, sso_issuer, sso_subject, email, name, directory_groups,
             directory_read_at, created_at, last_sign_in_at)
           SELECT ?5, ?1, ?2, ?3, ?4, ?6, ?7, ?8, ?8, ?8
           WHERE NOT EXISTS (SELECT 1 FROM people
             WHERE instance_id = ?1 AND email = ?4 AND NOT (sso_issuer IS ?2 AND sso_subject IS ?3))
           ON CONFLICT (instance_id, sso_issuer, sso_subject) DO UPDATE SET
             email = excluded.email, name = excluded.name, directory_groups = excluded.directory_groups,
             directory_read_at = excluded.directory_read_at, last_sign_in_at = excluded.last_sign_in_at`,
        )
        .bind(instanceId, issuer, subject, email, newPersonId, name, groups, now),
      this.#database
        .prepare(
          `SELECT id, deactivated_at FROM people
           WHERE instance_id = ?1 AND sso_issuer = ?2 AND sso_subject = ?3 AND email = ?4`,
        )
        .bind(instanceId, issuer, subject, email),
    ]);
    const [row] = rowsOf<{ id: string; deactivated_at: number | null }>(results, 2);
    if (!row) return { outcome: "email-taken" };
    return row.deactivated_at === null ? { outcome: "signed-in", personId: row.id } : { outcome: "deactivated" };
  }
}
