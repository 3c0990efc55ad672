import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";

/** A piece of work, and what it did, for the log. */
export interface MaintenanceTask {
  readonly name: string;
  run(): Promise<Readonly<Record<string, unknown>>>;
}

/** The last run, and the tasks that failed in it, or that it did not come to. */
export interface MaintenanceRun {
  readonly ranAt: number;
  readonly failed: readonly string[];
}

export interface MaintenanceStore {
  record(run: MaintenanceRun): Promise<void>;
  last(): Promise<MaintenanceRun | null>;
}

/** Runs every task, whatever becomes of the others; what they did, and which failed. */
export async function runTasks(tasks: readonly MaintenanceTask[]) {
  const failed: string[] = [];
  const done: Record<string, unknown> = {};
  for (const task of tasks) {
    try {
      Object.assign(done, await task.run());
    } catch (error) {
      failed.push(task.name);
      log({ level: "error", event: "maintenance_failed", task: task.name, detail: describeError(error) });
    }
  }
  return { done, failed };
}

/** What the hourly cron trigger does. */
export class Maintenance {
  readonly #tasks: readonly MaintenanceTask[];
  readonly #store: MaintenanceStore;
  readonly #clock: Clock;

  constructor(tasks: readonly MaintenanceTask[], store: MaintenanceStore, clock: Clock) {
    this.#tasks = tasks;
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Runs every task, whatever becomes of the others. Never throws: nobody waits for it.
   *
   * It is recorded before the first task as a run that came to none, so that one that is cut off is on record, too.
   */
  async run(): Promise<void> {
    const ranAt = this.#clock();
    await this.#record({ ranAt, failed: this.#tasks.map(({ name }) => name) });
    const { done, failed } = await runTasks(this.#tasks);
    log({ level: "info", event: "maintained", ...done });
    await this.#record({ ranAt, failed });
  }

  async #record(run: MaintenanceRun): Promise<void> {
    try {
      await this.#store.record(run);
    } catch (error) {
      log({ level: "error", event: "maintenance_not_recorded", detail: describeError(error) });
    }
  }

  /** The last run; `null` before the first. */
  last(): Promise<MaintenanceRun | null> {
    return this.#store.last();
  }
}
