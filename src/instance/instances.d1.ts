import { allRows, firstRow, rowsOf, runBatch, runStatement, StorageUnavailable } from "#platform/d1.ts";
import type { InstanceRecord, Instances, PersonRecord } from "#administration/instance-administration.ts";
import { parseSingleSignOn, type SingleSignOn } from "#settings/settings.ts";

interface InstanceRow {
  readonly id: number;
  readonly name: string;
  readonly settings: string;
  readonly single_sign_on: string | null;
}

interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly is_administrator: number;
  readonly last_sign_in_at: number | null;
  readonly deactivated_at: number | null;
}

const INSTANCE_COLUMNS = "id, name, settings, single_sign_on";
const PERSON_COLUMNS = "id, email, name, is_administrator, last_sign_in_at, deactivated_at";

/** Instances and the standing of their people. */
export class D1Instances implements Instances {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async create(name: string, now: number): Promise<InstanceRecord | null> {
    const row = await firstRow<InstanceRow>(
      this.#database
        .prepare(
          `INSERT INTO instances (name, settings, created_at) VALUES (?1, '{}', ?2)
           ON CONFLICT DO NOTHING RETURNING ${INSTANCE_COLUMNS}`,
        )
        .bind(name, now),
    );
    return row && toInstance(row);
  }

  async find(name: string): Promise<InstanceRecord | null> {
    const row = await firstRow<InstanceRow>(
      this.#database.prepare(`SELECT ${INSTANCE_COLUMNS} FROM instances WHERE name = ?1`).bind(name),
    );
    return row && toInstance(row);
  }

  async list(): Promise<InstanceRecord[]> {
    const rows = await allRows<InstanceRow>(
      this.#database.prepare(`SELECT ${INSTANCE_COLUMNS} FROM instances ORDER BY name`),
    );
    return rows.map(toInstance);
  }

  async writeSettings(instanceId: number, settings: Readonly<Record<string, unknown>>): Promise<void> {
    await runStatement(
      this.#database
        .prepare("UPDATE instances SET settings = ?2 WHERE id = ?1")
        .bind(instanceId, JSON.stringify(settings)),
    );
  }

  async writeSingleSignOn(instanceId: number, singleSignOn: SingleSignOn): Promise<void> {
    await runStatement(
      this.#database
        .prepare("UPDATE instances SET single_sign_on = ?2 WHERE id = ?1")
        .bind(instanceId, JSON.stringify(singleSignOn)),
    );
  }

  async countPeopleOf(instanceId: number, issuer: string): Promise<number> {
    const row = await firstRow<{ people: number }>(
      this.#database
        .prepare("SELECT count(*) AS people FROM people WHERE instance_id = ?1 AND sso_issuer = ?2")
        .bind(instanceId, issuer),
    );
    return row?.people ?? 0;
  }

  async ensurePerson(instanceId: number, email: string, newPersonId: string, now: number): Promise<PersonRecord> {
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `INSERT INTO people (id, instance_id, email, name, created_at) VALUES (?1, ?2, ?3, ?3, ?4) ON CONFLICT DO NOTHING`,
        )
        .bind(newPersonId, instanceId, email, now),
      this.#database
        .prepare(`SELECT ${PERSON_COLUMNS} FROM people WHERE instance_id = ?1 AND email = ?2`)
        .bind(instanceId, email),
    ]);
    const [row] = rowsOf<PersonRow>(results, 1);
    if (!row) throw new StorageUnavailable("the person was not stored");
    return toPerson(row);
  }

  async listPeople(instanceId: number): Promise<PersonRecord[]> {
    const rows = await allRows<PersonRow>(
      this.#database
        .prepare(`SELECT ${PERSON_COLUMNS} FROM people WHERE instance_id = ?1 ORDER BY email`)
        .bind(instanceId),
    );
    return rows.map(toPerson);
  }

  async writeAdministrator(instanceId: number, personId: string, isAdministrator: boolean): Promise<void> {
    await runStatement(
      this.#database
        .prepare("UPDATE people SET is_administrator = ?3 WHERE id = ?1 AND instance_id = ?2")
        .bind(personId, instanceId, isAdministrator ? 1 : 0),
    );
  }

  async releaseIdentity(instanceId: number, personId: string): Promise<void> {
    await runBatch(this.#database, [
      this.#database
        .prepare("UPDATE people SET sso_issuer = NULL, sso_subject = NULL WHERE id = ?1 AND instance_id = ?2")
        .bind(personId, instanceId),
      this.#endSessions(instanceId, personId),
    ]);
  }

  async writeDeactivation(instanceId: number, personId: string, deactivatedAt: number | null): Promise<void> {
    await runBatch(this.#database, [
      this.#database
        .prepare("UPDATE people SET deactivated_at = ?3 WHERE id = ?1 AND instance_id = ?2")
        .bind(personId, instanceId, deactivatedAt),
      this.#endSessions(instanceId, personId),
    ]);
  }

  /** Whoever is signed in as a person was let in under what held before (ASVS 5.0 §7.4.2). */
  #endSessions(instanceId: number, personId: string): D1PreparedStatement {
    return this.#database
      .prepare("DELETE FROM sessions WHERE instance_id = ?1 AND person_id = ?2")
      .bind(instanceId, personId);
  }
}

function toInstance(row: InstanceRow): InstanceRecord {
  return {
    id: row.id,
    name: row.name,
    settings: JSON.parse(row.settings) as Readonly<Record<string, unknown>>,
    singleSignOn: row.single_sign_on === null ? null : parseSingleSignOn(JSON.parse(row.single_sign_on)),
  };
}

function toPerson(row: PersonRow): PersonRecord {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    isAdministrator: row.is_administrator === 1,
    lastSignInAt: row.last_sign_in_at,
    deactivatedAt: row.deactivated_at,
  };
}
