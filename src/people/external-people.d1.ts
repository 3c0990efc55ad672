import { firstRow, rowsOf, runBatch } from "#platform/d1.ts";
import type { ExternalIdentity, ExternalPeople, KnownPeople, PersonFound } from "./external-people.ts";

interface Row {
  readonly id: string;
  readonly deactivated_at: number | null;
}

/** Who is meant: by email, or by issuer and subject; of the two the one that is not given is null, and equals nothing. */
const FOUND = "instance_id = ?1 AND (email = ?2 OR (sso_issuer = ?3 AND sso_subject = ?4))";

/** People as the tokens of external issuers name them. */
export class D1ExternalPeople implements ExternalPeople, KnownPeople {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async find(
    instanceId: number,
    { person, name, groups }: ExternalIdentity,
    issuedAt: number,
    newPersonId: string,
    now: number,
  ): Promise<PersonFound> {
    const [email, issuer, subject] = keyOf(person);
    const statements = [this.#looking(instanceId, person)];
    if (groups !== undefined) {
      statements.unshift(
        this.#database
          .prepare(
            `UPDATE people SET directory_groups = ?5, directory_read_at = ?6
             WHERE ${FOUND} AND directory_read_at < ?6 AND deactivated_at IS NULL`,
          )
          .bind(instanceId, email, issuer, subject, JSON.stringify(groups), issuedAt),
      );
    }
    if (email !== null) {
      statements.unshift(
        this.#database
          .prepare(
            `INSERT INTO people (id, instance_id, email, name, created_at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING`,
          )
          .bind(newPersonId, instanceId, email, name ?? email, now),
      );
    }
    const results = await runBatch(this.#database, statements);
    const [row] = rowsOf<Row>(results, statements.length - 1);
    return toFound(row ?? null);
  }

  async look(instanceId: number, person: ExternalIdentity["person"]): Promise<PersonFound> {
    return toFound(await firstRow<Row>(this.#looking(instanceId, person)));
  }

  #looking(instanceId: number, person: ExternalIdentity["person"]): D1PreparedStatement {
    return this.#database
      .prepare(`SELECT id, deactivated_at FROM people WHERE ${FOUND}`)
      .bind(instanceId, ...keyOf(person));
  }
}

function keyOf(person: ExternalIdentity["person"]): [string | null, string | null, string | null] {
  return "email" in person ? [person.email, null, null] : [null, person.issuer, person.subject];
}

function toFound(row: Row | null): PersonFound {
  return row ? { personId: row.id, isDeactivated: row.deactivated_at !== null } : "unknown";
}
