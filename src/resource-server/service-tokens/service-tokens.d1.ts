import type { TokenHash } from "#crypto/hash.ts";
import { allRows, firstRow, runStatement } from "#platform/d1.ts";
import type { IssuedToken, ServiceTokenRegistry, TokenListing } from "./issue-token.ts";
import type { ServiceToken, ServiceTokenReader } from "./service-tokens.ts";

interface Row {
  readonly id: string;
  readonly kind: ServiceToken["kind"];
  readonly name: string;
  readonly scopes: string;
  readonly person_id: string | null;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

const COLUMNS = "id, kind, name, scopes, person_id, expires_at, revoked_at";

/** Service-issued tokens, by hash. A copy of this table opens nothing. */
export class D1ServiceTokens implements ServiceTokenReader, ServiceTokenRegistry {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async findByHash(instanceId: number, hash: TokenHash): Promise<ServiceToken | null> {
    const row = await firstRow<Row>(
      this.#database
        .prepare(`SELECT ${COLUMNS} FROM service_tokens WHERE token_hash = ?1 AND instance_id = ?2`)
        .bind(hash, instanceId),
    );
    return row && fromRow(row);
  }

  async add(instanceId: number, token: IssuedToken, hash: TokenHash): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `INSERT INTO service_tokens (id, instance_id, kind, name, token_hash, scopes, person_id, created_at, expires_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
        )
        .bind(
          token.id,
          instanceId,
          token.kind,
          token.name,
          hash,
          JSON.stringify(token.scopes),
          token.personId,
          token.createdAt,
          token.expiresAt,
        ),
    );
  }

  async list(instanceId: number): Promise<TokenListing[]> {
    const rows = await allRows<Row>(
      this.#database
        .prepare(`SELECT ${COLUMNS} FROM service_tokens WHERE instance_id = ?1 ORDER BY created_at`)
        .bind(instanceId),
    );
    return rows.map((row) => ({ ...fromRow(row), name: row.name }));
  }

  async revoke(instanceId: number, tokenId: string, now: number): Promise<boolean> {
    const changed = await runStatement(
      this.#database
        .prepare("UPDATE service_tokens SET revoked_at = ?3 WHERE id = ?1 AND instance_id = ?2 AND revoked_at IS NULL")
        .bind(tokenId, instanceId, now),
    );
    return changed > 0;
  }
}

function fromRow(row: Row): ServiceToken {
  return {
    id: row.id,
    kind: row.kind,
    scopes: JSON.parse(row.scopes) as string[],
    personId: row.person_id,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
