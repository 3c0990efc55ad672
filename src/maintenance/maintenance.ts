import type { D1Maintenance, MaintenanceRun } from "./maintenance.d1.ts";
import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";

/** A task, which returns what it did, for the log. */
export interface MaintenanceTask {
  readonly name: string;
  run(): Promise<Readonly<Record<string, unknown>>>;
}

/** Runs every task, even if others fail. @returns what they did, and which failed */
async function attempt(tasks: readonly MaintenanceTask[]) {
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

/** @throws {Error} if a task failed, because the platform reports a run as failed only if its handler throws */
function requireNone(failed: readonly string[]): void {
  if (failed.length > 0) throw new Error(`Tasks failed: ${failed.join(", ")}`);
}

/** Runs every task, even if others fail. @throws {Error} at the end, if some failed */
export async function runTasks(tasks: readonly MaintenanceTask[]): Promise<void> {
  requireNone((await attempt(tasks)).failed);
}

/** The work of the hourly cron trigger. */
export class Maintenance {
  readonly #tasks: readonly MaintenanceTask[];
  readonly #store: Pick<D1Maintenance, keyof D1Maintenance>;
  readonly #clock: Clock;

  constructor(tasks: readonly MaintenanceTask[], store: Pick<D1Maintenance, keyof D1Maintenance>, clock: Clock) {
    this.#tasks = tasks;
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Runs every task, even if others fail, and records which failed.
   *
   * Before the first task, it records the run as if all tasks had failed, so that a run that is cut off is recorded too.
   *
   * @throws {Error} after all this, if a task failed or the run could not be recorded
   */
  async run(): Promise<void> {
    const ranAt = this.#clock();
    const record = (failed: readonly string[]): MaintenanceTask => ({
      name: "record of the run",
      run: async () => {
        await this.#store.record({ ranAt, failed });
        return {};
      },
    });
    const { done, failed } = await attempt([record(this.#tasks.map(({ name }) => name)), ...this.#tasks]);
    log({ level: "info", event: "maintained", ...done });
    const recorded = await attempt([record(failed)]);
    requireNone([...failed, ...recorded.failed]);
  }

  /** Returns the last run; `null` before the first. */
  last(): Promise<MaintenanceRun | null> {
    return this.#store.last();
  }
}
