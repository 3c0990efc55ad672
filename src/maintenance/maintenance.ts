import type { AuditLog } from "#audit/audit-log.ts";
import type { Instances } from "#instance/instances.ts";
import { parseSettings } from "#settings/settings.ts";
import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";

/** A piece of work, and what it did, for the log. */
export interface MaintenanceTask {
  readonly name: string;
  run(): Promise<Readonly<Record<string, unknown>>>;
}

/** The last run, and the tasks that failed in it. */
export interface MaintenanceRun {
  readonly ranAt: number;
  readonly failed: readonly string[];
}

export interface MaintenanceStore {
  record(run: MaintenanceRun): Promise<void>;
  last(): Promise<MaintenanceRun | null>;
}

/** Cuts every instance's audit where its retention ends; how many entries went. */
export async function trimAudits(audit: Pick<AuditLog, "trim">, instances: Pick<Instances, "list">): Promise<number> {
  let removed = 0;
  for (const { id, settings } of await instances.list()) {
    removed += await audit.trim(id, parseSettings(settings).auditKeptSeconds);
  }
  return removed;
}

/** What the cron trigger does. */
export class Maintenance {
  readonly #tasks: readonly MaintenanceTask[];
  readonly #store: MaintenanceStore;
  readonly #clock: Clock;

  constructor(tasks: readonly MaintenanceTask[], store: MaintenanceStore, clock: Clock) {
    this.#tasks = tasks;
    this.#store = store;
    this.#clock = clock;
  }

  /** Runs every task, whatever becomes of the others, and records that it did. Never throws: nobody waits for it. */
  async run(): Promise<void> {
    const failed: string[] = [];
    const done: Record<string, unknown> = {};
    for (const task of this.#tasks) {
      try {
        Object.assign(done, await task.run());
      } catch (error) {
        failed.push(task.name);
        log({ level: "error", event: "maintenance_failed", task: task.name, detail: describeError(error) });
      }
    }
    log({ level: "info", event: "maintained", ...done });
    try {
      await this.#store.record({ ranAt: this.#clock(), failed });
    } catch (error) {
      log({ level: "error", event: "maintenance_not_recorded", detail: describeError(error) });
    }
  }

  /** The last run; `null` before the first. */
  last(): Promise<MaintenanceRun | null> {
    return this.#store.last();
  }
}
