import type { Seer } from "#documents/engine.ts";
import { firstRow } from "#platform/d1.ts";
import type { SeerStore } from "./seers.ts";

interface Row {
  readonly email: string;
  /** JSON. */
  readonly directory_groups: string;
}

export class D1Seers implements SeerStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async read(instanceId: number, personId: string): Promise<Seer | null> {
    const row = await firstRow<Row>(
      this.#database
        .prepare(
          "SELECT email, directory_groups FROM people WHERE id = ?1 AND instance_id = ?2 AND deactivated_at IS NULL",
        )
        .bind(personId, instanceId),
    );
    return row && { email: row.email, directoryGroups: JSON.parse(row.directory_groups) as string[] };
  }

  async readByEmail(instanceId: number, email: string): Promise<Seer | null> {
    const row = await firstRow<Pick<Row, "directory_groups"> & { readonly deactivated_at: number | null }>(
      this.#database
        .prepare("SELECT directory_groups, deactivated_at FROM people WHERE instance_id = ?1 AND email = ?2")
        .bind(instanceId, email),
    );
    if (row && row.deactivated_at !== null) return null;
    return { email, directoryGroups: row ? (JSON.parse(row.directory_groups) as string[]) : [] };
  }
}
