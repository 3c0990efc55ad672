import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Meter } from "./cpu.ts";

/** Linux's name of a process that callgrind runs. It keeps 15 characters of a name. */
export const COUNTED_PROCESS = "callgrind-amd64";

/** The file to which valgrind writes what it has counted since the last request. */
const DUMPS = "counted";

/**
 * With these flags, V8 depends on the requests alone. It compiles code that runs often immediately, instead of on another thread
 * that finishes at some point, and has memory for all garbage of a run. Otherwise the same build may run as machine code once and
 * be interpreted another time.
 */
const V8_FLAGS = [
  "--no-concurrent-recompilation",
  "--invocation-count-for-turbofan=600",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
];

/**
 * Writes a program that runs workerd in valgrind, which counts its instructions. The environment makes Miniflare start this
 * program.
 *
 * @param folder the folder for the program and the counts
 */
export function runInValgrind(folder: string): void {
  const program = join(folder, "workerd-counted");
  const options = [
    "--tool=callgrind",
    "--quiet",
    // Also counts code that V8 generates and replaces.
    "--smc-check=all-non-file",
    // workerd runs ten times as fast while nothing is counted.
    "--instr-atstart=no",
    `--callgrind-out-file=${join(folder, DUMPS)}`,
  ];
  writeFileSync(program, `#!/bin/sh\nexec valgrind ${options.join(" ")} workerd "$@"\n`, { mode: 0o700 });
  process.env["MINIFLARE_WORKERD_PATH"] = program;
  process.env["MINIFLARE_WORKERD_V8_FLAGS"] = V8_FLAGS.join(" ");
}

/**
 * The instructions of a workerd that {@link runInValgrind} runs: always the same for the same work, whatever else the machine
 * does.
 */
export class RetiredInstructions implements Meter {
  readonly unit = "instructions";
  readonly #pid: number;
  readonly #folder: string;

  constructor(pid: number, folder: string) {
    this.#pid = pid;
    this.#folder = folder;
  }

  async during(act: () => Promise<void>): Promise<number> {
    await this.#tell("instrumentation on");
    await this.#tell("zero");
    await act();
    await this.#tell("dump");
    await this.#tell("instrumentation off");
    return this.#takeCount();
  }

  async #tell(command: string): Promise<void> {
    await promisify(execFile)("vgdb", [`--pid=${this.#pid}`, ...command.split(" ")]);
  }

  /** @throws if valgrind wrote no count, or several */
  #takeCount(): number {
    const dumps = readdirSync(this.#folder).filter((name) => name.startsWith(`${DUMPS}.`));
    const counts = dumps.map((name) => /^totals: (\d+)$/m.exec(readFileSync(join(this.#folder, name), "utf8"))?.[1]);
    for (const name of dumps) rmSync(join(this.#folder, name));
    const [count] = counts;
    if (count === undefined || counts.length > 1) throw new Error(`valgrind wrote ${counts.length} counts`);
    return Number(count);
  }
}
