import { D1Store } from "#platform/d1-store.ts";

/** Reads which tables the database actually has. */
export class D1Probe extends D1Store {
  async tables(): Promise<readonly string[]> {
    const rows = await this.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    return rows.map(({ name }) => name);
  }
}
