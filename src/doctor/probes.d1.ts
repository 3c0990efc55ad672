import { D1Store } from "#platform/d1-store.ts";
import { allRows } from "#platform/d1.ts";

/** Reads which tables the database actually has. */
export class D1Probe extends D1Store {
  async tables(): Promise<readonly string[]> {
    const rows = await allRows<{ name: string }>(
      this.database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'"),
    );
    return rows.map(({ name }) => name);
  }
}
