import { AuditedStore } from "#audit/audited-store.sql.ts";
import { changesOf, runBatch } from "#platform/d1.ts";
import type { Ending } from "./ending.ts";
import { endGrants } from "./ending.sql.ts";

/** Ends grants in a batch of their own. A decision that ends more than grants puts the same statements into its own batch. */
export class D1GrantEnding extends AuditedStore {
  /**
   * Ends every grant of the scope and records it, in one transaction. Codes that were not redeemed yet stop working at once;
   * running access tokens end within the age of a policy snapshot.
   *
   * @returns how many grants ended
   */
  async end(ending: Ending): Promise<number> {
    return changesOf(await runBatch(this.database, endGrants(this.database, ending)), 0);
  }
}
