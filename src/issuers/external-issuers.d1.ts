import type { ExternalIssuer } from "./external-issuer.ts";
import { allRows, firstRow, runStatement } from "#platform/d1.ts";
import type { ExternalIssuerStore, StoredIssuer } from "./registration.ts";

interface Row {
  readonly configuration: string;
  readonly created_at: number;
  readonly changed_at: number;
  readonly disabled_at: number | null;
}

const COLUMNS = "configuration, created_at, changed_at, disabled_at";

/** The identity providers whose tokens an instance takes. The gate reads them out of the policy snapshot, never from here. */
export class D1ExternalIssuers implements ExternalIssuerStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async find(instanceId: number, issuer: string): Promise<StoredIssuer | null> {
    const row = await firstRow<Row>(
      this.#database
        .prepare(`SELECT ${COLUMNS} FROM external_issuers WHERE instance_id = ?1 AND issuer = ?2`)
        .bind(instanceId, issuer),
    );
    return row && fromRow(row);
  }

  async list(instanceId: number): Promise<StoredIssuer[]> {
    const rows = await allRows<Row>(
      this.#database
        .prepare(`SELECT ${COLUMNS} FROM external_issuers WHERE instance_id = ?1 ORDER BY created_at, issuer`)
        .bind(instanceId),
    );
    return rows.map(fromRow);
  }

  /** Counting and writing are one statement: two administrators who both add the last one cannot both succeed. */
  async write(instanceId: number, configuration: ExternalIssuer, now: number, issuersMax: number): Promise<boolean> {
    const changed = await runStatement(
      this.#database
        .prepare(
          `INSERT INTO external_issuers (instance_id, issuer, configuration, created_at, changed_at)
           SELECT ?1, ?2, ?3, ?4, ?4
           WHERE (SELECT count(*) FROM external_issuers WHERE instance_id = ?1 AND issuer <> ?2) < ?5
           ON CONFLICT (instance_id, issuer) DO UPDATE SET
             configuration = excluded.configuration, changed_at = excluded.changed_at`,
        )
        .bind(instanceId, configuration.issuer, JSON.stringify(configuration), now, issuersMax),
    );
    return changed > 0;
  }

  async disable(instanceId: number, issuer: string, now: number): Promise<boolean> {
    const changed = await runStatement(
      this.#database
        .prepare(
          `UPDATE external_issuers SET disabled_at = ?3, changed_at = ?3
           WHERE instance_id = ?1 AND issuer = ?2 AND disabled_at IS NULL`,
        )
        .bind(instanceId, issuer, now),
    );
    return changed > 0;
  }

  async enable(instanceId: number, issuer: string, now: number): Promise<boolean> {
    const changed = await runStatement(
      this.#database
        .prepare(
          `UPDATE external_issuers SET disabled_at = NULL, changed_at = ?3
           WHERE instance_id = ?1 AND issuer = ?2 AND disabled_at IS NOT NULL`,
        )
        .bind(instanceId, issuer, now),
    );
    return changed > 0;
  }

  async remove(instanceId: number, issuer: string): Promise<boolean> {
    const changed = await runStatement(
      this.#database
        .prepare("DELETE FROM external_issuers WHERE instance_id = ?1 AND issuer = ?2")
        .bind(instanceId, issuer),
    );
    return changed > 0;
  }
}

function fromRow(row: Row): StoredIssuer {
  return {
    configuration: JSON.parse(row.configuration) as unknown,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    disabledAt: row.disabled_at,
  };
}
