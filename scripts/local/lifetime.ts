import { spawnSync } from "node:child_process";

/** How often this process checks that its parent is still running. */
const PARENT_CHECK_MILLISECONDS = 1000;

/** A process of this run. */
export interface Member {
  readonly name: string;
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Keeps the processes of a run together: if one of them ends, or this process is asked to end, all of them end.
 *
 * Signals alone are not enough. npm and its shell run between the terminal and this process. If one of them is killed, no signal
 * arrives here, so this process also checks that they still run.
 */
export class Lifetime {
  readonly #members: Member[] = [];
  readonly #over = Promise.withResolvers<string | undefined>();
  #ending = false;

  constructor() {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => this.#over.resolve(undefined));
    }
    const parent = process.ppid;
    const npm = process.env.npm_lifecycle_event === undefined ? undefined : parentOf(parent);
    setInterval(() => {
      const orphaned = process.ppid !== parent || (npm !== undefined && !isAlive(npm));
      if (orphaned) this.#over.resolve(undefined);
    }, PARENT_CHECK_MILLISECONDS).unref();
  }

  /**
   * Settles when the run is over.
   *
   * @returns a sentence about the process that ended by itself, or nothing if somebody ended the run.
   */
  get over(): Promise<string | undefined> {
    return this.#over.promise;
  }

  add<Kind extends Member>(member: Kind): Kind {
    this.#members.push(member);
    void member.ended.then(() => {
      if (!this.#ending) this.#over.resolve(`${member.name} ended by itself, so everything else was ended too.`);
    });
    return member;
  }

  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#members.map((member) => member.stop()));
  }
}

/** @returns nothing if there is no `ps`, as on Windows. */
function parentOf(pid: number): number | undefined {
  const parent = Number(spawnSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }).stdout);
  return Number.isInteger(parent) && parent > 1 ? parent : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
