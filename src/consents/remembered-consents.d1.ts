import { firstRow } from "#platform/d1.ts";
import type { ConsentKey, RememberedConsents } from "./remembered-consents.ts";

/** What people allowed the clients that administrators made. */
export class D1RememberedConsents implements RememberedConsents {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async scopesOf(key: ConsentKey): Promise<string[]> {
    const row = await firstRow<{ scopes: string }>(
      this.#database
        .prepare(
          `SELECT scopes FROM remembered_consents
           WHERE person_id = ?1 AND client_id = ?2 AND instance_id = ?3 AND redirect_uri = ?4`,
        )
        .bind(key.personId, key.clientId, key.instanceId, key.redirectUri),
    );
    return row === null ? [] : (JSON.parse(row.scopes) as string[]);
  }
}
