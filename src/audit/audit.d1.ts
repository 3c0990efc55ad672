import { allRows, firstRow, runStatement } from "#platform/d1.ts";
import type { ChainedEntry } from "./audit.ts";
import type { AuditFilter, AuditStore } from "./audit-log.ts";

interface Row {
  readonly instance_id: number;
  readonly sequence: number;
  readonly at: number;
  readonly actor: string;
  readonly event: string;
  readonly detail: string;
  readonly previous_hash: string;
  readonly hash: string;
}

const COLUMNS = "instance_id, sequence, at, actor, event, detail, previous_hash, hash";

/** The audit's statements. None changes an entry. */
export class D1Audit implements AuditStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  head(instanceId: number): Promise<Pick<ChainedEntry, "sequence" | "hash"> | null> {
    return firstRow(
      this.#database
        .prepare("SELECT sequence, hash FROM audit WHERE instance_id = ?1 ORDER BY sequence DESC LIMIT 1")
        .bind(instanceId),
    );
  }

  async place(entry: ChainedEntry): Promise<boolean> {
    const placed = await runStatement(
      this.#database
        .prepare(`INSERT INTO audit (${COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING`)
        .bind(
          entry.instanceId,
          entry.sequence,
          entry.at,
          entry.actor,
          entry.event,
          JSON.stringify(entry.detail),
          entry.previousHash,
          entry.hash,
        ),
    );
    return placed > 0;
  }

  async before(instanceId: number, sequence: number, filter: AuditFilter, limit: number): Promise<ChainedEntry[]> {
    const rows = await allRows<Row>(
      this.#database
        .prepare(
          `SELECT ${COLUMNS} FROM audit WHERE instance_id = ?1 AND sequence < ?2
             AND (?3 IS NULL OR actor = ?3) AND (?4 IS NULL OR substr(event, 1, length(?4)) = ?4)
             AND (?5 IS NULL OR at >= ?5) AND (?6 IS NULL OR at < ?6)
           ORDER BY sequence DESC LIMIT ?7`,
        )
        .bind(
          instanceId,
          sequence,
          filter.actor ?? null,
          filter.event ?? null,
          filter.from ?? null,
          filter.until ?? null,
          limit,
        ),
    );
    return rows.map(toEntry);
  }

  async after(instanceId: number, sequence: number, limit: number): Promise<ChainedEntry[]> {
    const rows = await allRows<Row>(
      this.#database
        .prepare(`SELECT ${COLUMNS} FROM audit WHERE instance_id = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3`)
        .bind(instanceId, sequence, limit),
    );
    return rows.map(toEntry);
  }

  async trim(instanceId: number, through: number): Promise<void> {
    await runStatement(
      this.#database.prepare("DELETE FROM audit WHERE instance_id = ?1 AND sequence <= ?2").bind(instanceId, through),
    );
  }

  async lastBefore(instanceId: number, at: number): Promise<number> {
    const row = await firstRow<{ sequence: number | null }>(
      this.#database
        .prepare("SELECT max(sequence) AS sequence FROM audit WHERE instance_id = ?1 AND at < ?2")
        .bind(instanceId, at),
    );
    return row?.sequence ?? 0;
  }
}

function toEntry(row: Row): ChainedEntry {
  return {
    instanceId: row.instance_id,
    sequence: row.sequence,
    at: row.at,
    actor: row.actor,
    event: row.event,
    detail: JSON.parse(row.detail) as ChainedEntry["detail"],
    previousHash: row.previous_hash,
    hash: row.hash,
  };
}
