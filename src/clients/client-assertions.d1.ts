import { firstRow } from "#platform/d1.ts";
import type { ClientKeys } from "./client-keys.ts";
import type { AssertingClients } from "./client-assertions.ts";

/** The keys of clients that authenticate by a signed assertion, in D1. */
export class D1ClientAssertions implements AssertingClients {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async findKeys(instanceId: number, clientId: string): Promise<{ keys: ClientKeys; isVouchedFor: boolean } | null> {
    const row = await firstRow<{ keys: string; kind: string }>(
      this.#database
        .prepare(
          `SELECT keys, kind FROM clients
           WHERE id = ?1 AND instance_id = ?2 AND keys IS NOT NULL AND disabled_at IS NULL`,
        )
        .bind(clientId, instanceId),
    );
    return row && { keys: JSON.parse(row.keys) as ClientKeys, isVouchedFor: row.kind === "static" };
  }
}
