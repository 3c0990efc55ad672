import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Meter } from "./cpu.ts";

/** What Linux calls a process that callgrind runs; it keeps 15 characters of a name. */
export const COUNTED_PROCESS = "callgrind-amd64";

/** Where valgrind writes what it has counted since it was last asked. */
const DUMPS = "counted";

/**
 * What V8 does then depends on the requests alone: it compiles what runs often at once, where a thread beside it would finish sooner or later,
 * and has room for all garbage of a run. Without this, the same build may run as machine code or be interpreted.
 */
const V8_FLAGS = [
  "--no-concurrent-recompilation",
  "--invocation-count-for-turbofan=600",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
];

/**
 * Writes a program that runs workerd in valgrind, which counts the instructions that it retires. Miniflare starts it where its
 * environment says so.
 *
 * @param folder for the program and the counts
 */
export function runInValgrind(folder: string): void {
  const program = join(folder, "workerd-counted");
  const options = [
    "--tool=callgrind",
    "--quiet",
    // The code that V8 makes and replaces is code, too.
    "--smc-check=all-non-file",
    // Until a block is counted, workerd runs ten times as fast.
    "--instr-atstart=no",
    `--callgrind-out-file=${join(folder, DUMPS)}`,
  ];
  writeFileSync(program, `#!/bin/sh\nexec valgrind ${options.join(" ")} workerd "$@"\n`, { mode: 0o700 });
  process.env["MINIFLARE_WORKERD_PATH"] = program;
  process.env["MINIFLARE_WORKERD_V8_FLAGS"] = V8_FLAGS.join(" ");
}

/** The instructions of a workerd that {@link runInValgrind} has run: the same for the same work, whatever else the machine does. */
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

  /** @throws where valgrind wrote no count, or several */
  #takeCount(): number {
    const dumps = readdirSync(this.#folder).filter((name) => name.startsWith(`${DUMPS}.`));
    const counts = dumps.map((name) => /^totals: (\d+)$/m.exec(readFileSync(join(this.#folder, name), "utf8"))?.[1]);
    for (const name of dumps) rmSync(join(this.#folder, name));
    const [count] = counts;
    if (count === undefined || counts.length > 1) throw new Error(`valgrind wrote ${counts.length} counts`);
    return Number(count);
  }
}
