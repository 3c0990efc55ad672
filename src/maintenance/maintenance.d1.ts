import { readerOf } from "#platform/columns.sql.ts";
import { D1Store } from "#platform/d1.ts";

/** The last run, with the tasks that failed or were not reached. */
export interface MaintenanceRun {
  readonly ranAt: number;
  readonly failed: readonly string[];
}

/** The time and result of the cron trigger's last run, in one row. */
export class D1Maintenance extends D1Store {
  async record({ ranAt, failed }: MaintenanceRun): Promise<void> {
    await this.run(
      `INSERT INTO maintenance_runs (id, ran_at, failed) VALUES (1, ?1, ?2)
       ON CONFLICT DO UPDATE SET ran_at = ?1, failed = ?2`,
      [ranAt, JSON.stringify(failed)],
    );
  }

  /** Returns the last run; `null` before the first. */
  last(): Promise<MaintenanceRun | null> {
    const fromRow = readerOf<MaintenanceRun>()(["failed"]);
    return this.first("SELECT ran_at AS ranAt, failed FROM maintenance_runs WHERE id = 1", [], fromRow);
  }
}
