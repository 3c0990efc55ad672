import { runBatch } from "#platform/d1.ts";
import type { Ended, Ending, GrantEnding } from "./ending.ts";
import { endGrants } from "./ending.sql.ts";

/** Ends grants by themselves; an act that ends more puts the same statements into its own batch. */
export class D1GrantEnding implements GrantEnding {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async end(ending: Ending): Promise<Ended> {
    const [grants, , consents] = await runBatch(this.#database, endGrants(this.#database, ending));
    return { grants: grants?.meta.changes ?? 0, consents: consents?.meta.changes ?? 0 };
  }
}
