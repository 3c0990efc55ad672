import { Load } from "./load.ts";
import type { Operations } from "./messages.ts";
import { shuffled } from "./statistics.ts";
import type { Variant } from "./variants.ts";
import type { BenchWorkerd } from "./workerd.ts";

/** CPU of a block: long enough to drown what surrounds it, short enough that a pair of blocks meets the same machine. */
const BLOCK_MICROSECONDS = 250_000;

/** V8 optimises what runs often; a variant is measured when it has been. */
const WARM_UP_REQUESTS = 6000;

/** What one block cost, by request. */
export interface Block {
  readonly cpuMicroseconds: number;
  readonly wallMicroseconds: number;
}

/** What was measured of a variant, a block a round. */
export interface Measured {
  readonly variant: Variant;
  readonly blocks: Block[];
  requests: number;
  /** For Gatehouse's gate: what happened within the measured blocks. */
  operations: Operations | undefined;
}

/** Measures all variants in turn, in an order of its own each round. */
export async function measure(
  workerd: BenchWorkerd,
  variants: readonly Variant[],
  rounds: number,
  report: (progress: string) => void,
): Promise<Measured[]> {
  const subjects = variants.map((variant) => new Subject(workerd, variant));
  for (const subject of subjects) {
    report(`warming up: ${subject.measured.variant.title}`);
    await subject.warmUp();
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of shuffled(subjects)) await subject.measureBlock();
    report(`round ${round} of ${rounds}`);
  }
  return subjects.map((subject) => subject.measured);
}

class Subject {
  readonly measured: Measured;
  readonly #workerd: BenchWorkerd;
  #requestsOfBlock = 0;
  #sent = 0;

  constructor(workerd: BenchWorkerd, variant: Variant) {
    this.#workerd = workerd;
    this.measured = { variant, blocks: [], requests: 0, operations: undefined };
  }

  async warmUp(): Promise<void> {
    const probe = 2000;
    const microseconds = await this.#connected(async (load) => {
      await this.#send(load, WARM_UP_REQUESTS);
      return this.#workerd.cpu.during(() => this.#send(load, probe));
    });
    this.#requestsOfBlock = Math.ceil((probe * BLOCK_MICROSECONDS) / (microseconds ?? BLOCK_MICROSECONDS));
  }

  async measureBlock(): Promise<void> {
    const count = this.#requestsOfBlock;
    const [before, block] = await this.#connected(async (load) => {
      // The isolate has slept while others were measured.
      await this.#send(load, Math.ceil(count / 20));
      return [await this.#operations(), await this.#measure(() => this.#send(load, count))] as const;
    });
    const after = await this.#operations();
    if (!block) return this.measureBlock();
    const { cpu, wall } = block;
    this.measured.blocks.push({ cpuMicroseconds: cpu / count, wallMicroseconds: wall / count });
    this.measured.requests += count;
    if (before && after) this.measured.operations = sum(this.measured.operations, after, before);
  }

  /** @returns microseconds; `undefined` where the CPU could not be told */
  async #measure(act: () => Promise<void>): Promise<{ cpu: number; wall: number } | undefined> {
    const started = performance.now();
    const cpu = await this.#workerd.cpu.during(act);
    return cpu === undefined ? undefined : { cpu, wall: (performance.now() - started) * 1000 };
  }

  /** Connections for one block: workerd closes those that are idle for five seconds. */
  async #connected<Result>(act: (load: Load) => Promise<Result>): Promise<Result> {
    const load = await Load.open(await this.#workerd.url(this.measured.variant.worker));
    try {
      return await act(load);
    } finally {
      load.close();
    }
  }

  async #operations(): Promise<Operations | undefined> {
    const { worker, expected } = this.measured.variant;
    return expected === undefined ? undefined : this.#workerd.ask<Operations>(worker);
  }

  #send(load: Load, count: number): Promise<void> {
    const { requests } = this.measured.variant;
    return load.send(count, () => requests[this.#sent++ % requests.length] as Buffer);
  }
}

function sum(before: Operations | undefined, added: Operations, subtracted: Operations): Operations {
  const total = { ...added };
  for (const name of Object.keys(total) as (keyof Operations)[])
    total[name] += (before?.[name] ?? 0) - subtracted[name];
  return total;
}
