import { firstRow, rowsOf, runBatch } from "#platform/d1.ts";
import type { Logo, LogoStore } from "./logo.ts";

interface Row {
  readonly type: Logo["type"];
  readonly data: string;
}

/** Logos in base64: a blob would come back as a list of numbers. */
export class D1Logos implements LogoStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async put(instanceId: number, hash: string, { type, bytes }: Logo): Promise<string | null> {
    const results = await runBatch(this.#database, [
      this.#hash(instanceId),
      this.#database
        .prepare(
          `INSERT INTO logos (instance_id, hash, type, data) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT DO UPDATE SET hash = ?2, type = ?3, data = ?4`,
        )
        .bind(instanceId, hash, type, encode(bytes)),
      this.#database
        .prepare("UPDATE instances SET settings = json_set(settings, '$.logo', ?2) WHERE id = ?1")
        .bind(instanceId, hash),
    ]);
    return hashIn(results);
  }

  async find(instanceId: number, hash: string): Promise<Logo | null> {
    const row = await firstRow<Row>(
      this.#database
        .prepare("SELECT type, data FROM logos WHERE instance_id = ?1 AND hash = ?2")
        .bind(instanceId, hash),
    );
    return row && { type: row.type, bytes: Uint8Array.from(atob(row.data), (letter) => letter.charCodeAt(0)) };
  }

  async remove(instanceId: number): Promise<string | null> {
    const results = await runBatch(this.#database, [
      this.#hash(instanceId),
      this.#database.prepare("DELETE FROM logos WHERE instance_id = ?1").bind(instanceId),
      this.#database
        .prepare("UPDATE instances SET settings = json_remove(settings, '$.logo') WHERE id = ?1")
        .bind(instanceId),
    ]);
    return hashIn(results);
  }

  #hash(instanceId: number): D1PreparedStatement {
    return this.#database.prepare("SELECT hash FROM logos WHERE instance_id = ?1").bind(instanceId);
  }
}

/** The hash that the first statement of a batch found. */
function hashIn(results: Parameters<typeof rowsOf>[0]): string | null {
  return rowsOf<{ hash: string }>(results, 0)[0]?.hash ?? null;
}

function encode(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
