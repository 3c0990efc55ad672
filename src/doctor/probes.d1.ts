import { D1Store } from "#platform/d1-store.ts";

/** Checks that the database works. Whether its tables are current is checked with each policy that is read. */
export class D1Probe extends D1Store {
  read(): Promise<unknown> {
    return this.first("SELECT 1");
  }
}
