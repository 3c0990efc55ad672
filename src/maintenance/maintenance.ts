import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";

/** A task, which returns what it did, for the log. */
export interface MaintenanceTask {
  readonly name: string;
  run(): Promise<Readonly<Record<string, unknown>>>;
}

/** The last run, with the tasks that failed or were not reached. */
export interface MaintenanceRun {
  readonly ranAt: number;
  readonly failed: readonly string[];
}

export interface MaintenanceStore {
  record(run: MaintenanceRun): Promise<void>;
  last(): Promise<MaintenanceRun | null>;
}

/** Runs every task, even if others fail. @returns what they did, and which failed */
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

/** The work of the hourly cron trigger. */
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
   * Runs every task, even if others fail. Never throws, because nobody waits for it.
   *
   * Before the first task, it records the run as if all tasks had failed, so that a run that is cut off is recorded too.
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

  /** Returns the last run; `null` before the first. */
  last(): Promise<MaintenanceRun | null> {
    return this.#store.last();
  }
}
