import type { TokenHash } from "#crypto/hash.ts";
import { allRows, firstRow, rowsOf, runBatch, runStatement } from "#platform/d1.ts";
import type { IssuedToken, ServiceTokenRegistry, TokenListing } from "./issue-token.ts";
import type { LastUseStore } from "./last-use.ts";
import type { ServiceToken, ServiceTokenReader } from "./service-tokens.ts";

interface Row {
  readonly id: string;
  readonly kind: ServiceToken["kind"];
  readonly scopes: string;
  readonly person_id: string | null;
  readonly networks: string;
  readonly changed_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
}

const COLUMNS =
  "t.id, t.kind, t.scopes, t.person_id, t.networks, t.changed_at, t.expires_at, t.revoked_at, t.last_used_at";

/** A running token of this instance: ?1 its id, ?2 the instance, ?3 the time. */
const RUNNING = "id = ?1 AND instance_id = ?2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?3)";

/** Service-issued tokens, and their secrets by hash. A copy of these tables opens nothing. */
export class D1ServiceTokens implements ServiceTokenReader, ServiceTokenRegistry, LastUseStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async findByHash(instanceId: number, hash: TokenHash): Promise<ServiceToken | null> {
    const row = await firstRow<Row & { secret_expires_at: number | null }>(
      this.#database
        .prepare(
          `SELECT ${COLUMNS}, s.expires_at AS secret_expires_at
           FROM service_token_secrets s JOIN service_tokens t ON t.id = s.token_id
           WHERE s.secret_hash = ?1 AND t.instance_id = ?2`,
        )
        .bind(hash, instanceId),
    );
    return row && { ...fromRow(row), secretExpiresAt: row.secret_expires_at };
  }

  async add(instanceId: number, token: IssuedToken, hash: TokenHash): Promise<void> {
    const { id, kind, name, scopes, personId, networks, createdAt, expiresAt } = token;
    await runBatch(this.#database, [
      this.#database
        .prepare(
          `INSERT INTO service_tokens
             (id, instance_id, kind, name, scopes, person_id, networks, created_at, changed_at, expires_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)`,
        )
        .bind(
          id,
          instanceId,
          kind,
          name,
          JSON.stringify(scopes),
          personId,
          JSON.stringify(networks),
          createdAt,
          expiresAt,
        ),
      this.#database
        .prepare("INSERT INTO service_token_secrets (secret_hash, token_id, created_at) VALUES (?1, ?2, ?3)")
        .bind(hash, id, createdAt),
    ]);
  }

  async list(instanceId: number): Promise<TokenListing[]> {
    const rows = await allRows<Row & { name: string; email: string | null }>(
      this.#database
        .prepare(
          `SELECT ${COLUMNS}, t.name, p.email FROM service_tokens t LEFT JOIN people p ON p.id = t.person_id
           WHERE t.instance_id = ?1 ORDER BY t.created_at`,
        )
        .bind(instanceId),
    );
    return rows.map((row) => ({ ...fromRow(row), name: row.name, personEmail: row.email }));
  }

  /** Secrets that a rotation has superseded keep the earlier end that they have. */
  async replaceSecret(
    instanceId: number,
    tokenId: string,
    hash: TokenHash,
    now: number,
    othersEndAt: number,
  ): Promise<boolean> {
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(`UPDATE service_tokens SET changed_at = max(?3, changed_at + 1) WHERE ${RUNNING} RETURNING id`)
        .bind(tokenId, instanceId, now),
      this.#database
        .prepare(
          `UPDATE service_token_secrets SET expires_at = min(COALESCE(expires_at, ?4), ?4)
           WHERE token_id IN (SELECT id FROM service_tokens WHERE ${RUNNING})`,
        )
        .bind(tokenId, instanceId, now, othersEndAt),
      this.#database
        .prepare(
          `INSERT INTO service_token_secrets (secret_hash, token_id, created_at)
           SELECT ?4, id, ?3 FROM service_tokens WHERE ${RUNNING}`,
        )
        .bind(tokenId, instanceId, now, hash),
    ]);
    return rowsOf(results, 0).length > 0;
  }

  /** `changed_at` grows even within one second or by a clock that is behind: isolates tell changes apart by it. */
  async revoke(instanceId: number, tokenId: string, now: number): Promise<boolean> {
    const changed = await runStatement(
      this.#database
        .prepare(
          `UPDATE service_tokens SET revoked_at = ?3, changed_at = max(?3, changed_at + 1)
           WHERE id = ?1 AND instance_id = ?2 AND revoked_at IS NULL`,
        )
        .bind(tokenId, instanceId, now),
    );
    return changed > 0;
  }

  async recordUse(instanceId: number, tokenId: string, usedAt: number): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `UPDATE service_tokens SET last_used_at = ?3
           WHERE id = ?1 AND instance_id = ?2 AND (last_used_at IS NULL OR last_used_at < ?3)`,
        )
        .bind(tokenId, instanceId, usedAt),
    );
  }
}

function fromRow(row: Row): Omit<ServiceToken, "secretExpiresAt"> {
  return {
    id: row.id,
    kind: row.kind,
    scopes: JSON.parse(row.scopes) as string[],
    personId: row.person_id,
    networks: JSON.parse(row.networks) as string[],
    changedAt: row.changed_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}
