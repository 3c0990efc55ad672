import type { D1Maintenance } from "./maintenance.d1.ts";
import { epochSeconds } from "#platform/clock.ts";
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

/**
 * Runs every task of the hourly cron trigger, even if others fail, and records which failed.
 *
 * Before the first task, it records the run as if all tasks had failed, so that a run that is cut off is recorded too.
 *
 * @throws {Error} after all this, if a task failed or the run could not be recorded
 */
export async function runMaintenance(
  tasks: readonly MaintenanceTask[],
  store: Pick<D1Maintenance, "record">,
): Promise<void> {
  const ranAt = epochSeconds();
  const record = (failed: readonly string[]): MaintenanceTask => ({
    name: "record of the run",
    run: async () => {
      await store.record({ ranAt, failed });
      return {};
    },
  });
  const { done, failed } = await attempt([record(tasks.map(({ name }) => name)), ...tasks]);
  log({ level: "info", event: "maintained", ...done });
  const recorded = await attempt([record(failed)]);
  requireNone([...failed, ...recorded.failed]);
}
