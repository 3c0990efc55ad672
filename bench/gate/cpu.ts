import { readdirSync, readFileSync } from "node:fs";

/** Nanoseconds that each thread of a process has run so far, in user and kernel mode. */
type ThreadTimes = ReadonlyMap<string, number>;

/** Measures the work of workerd. */
export interface Meter {
  /** The unit of its results. */
  readonly unit: "µs" | "instructions";
  /** Returns what all threads together use during an act; `undefined` if that could not be determined. */
  during(act: () => Promise<void>): Promise<number | undefined>;
}

/**
 * The CPU time of a process on Linux, in nanoseconds: from the scheduler's statistics, because `stat` counts ticks of 10 ms.
 */
export class ProcessCpu implements Meter {
  readonly unit = "µs";
  readonly #pid: number;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Measures the child of this process with that name. @throws if there isn't exactly one */
  static ofChild(name: string): ProcessCpu {
    return new ProcessCpu(childNamed(name));
  }

  /**
   * Returns the microseconds of CPU time that all threads together use during an act; `undefined` if a thread ended meanwhile,
   * because its time is then lost.
   */
  async during(act: () => Promise<void>): Promise<number | undefined> {
    const before = this.#read();
    await act();
    const after = this.#read();
    let nanoseconds = 0;
    for (const [thread, time] of after) nanoseconds += time - (before.get(thread) ?? 0);
    return [...before.keys()].every((thread) => after.has(thread)) ? nanoseconds / 1000 : undefined;
  }

  /** Resident memory of the process in bytes. */
  memoryBytes(): number {
    const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${this.#pid}/status`)) ?? [];
    return Number(kilobytes) * 1024;
  }

  #read(): ThreadTimes {
    const folder = `/proc/${this.#pid}/task`;
    const times = new Map<string, number>();
    for (const thread of readdirSync(folder)) {
      const [running] = readIfThere(`${folder}/${thread}/schedstat`).split(" ");
      if (running) times.set(thread, Number(running));
    }
    return times;
  }
}

/** Returns the id of the child of this process with that name. @throws if there isn't exactly one */
export function childNamed(name: string): number {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && isOwnChild(entry, name));
  const [pid] = pids;
  if (pid === undefined || pids.length > 1) throw new Error(`there are ${pids.length} processes ${name} of this one`);
  return Number(pid);
}

function isOwnChild(pid: string, name: string): boolean {
  const [, command, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readIfThere(`/proc/${pid}/stat`)) ?? [];
  return command === name && Number(parent) === process.pid;
}

/** Reads a file, or returns nothing: threads and processes come and go between listing and reading. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
