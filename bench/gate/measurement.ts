import { Load } from "./load.ts";
import type { Operations } from "./messages.ts";
import { shuffled } from "./statistics.ts";
import type { Variant } from "./variants.ts";
import type { BenchWorkerd } from "./workerd.ts";

/**
 * What a block costs: enough to make overhead negligible, but so little that two blocks in a row run under the same conditions.
 */
const BLOCK = { µs: 250_000, instructions: 100_000_000 };

/** The requests that are sent to find out how many make a block. */
const PROBE = { µs: 2000, instructions: 40 };

/**
 * Requests before a variant is measured, so that V8 has optimised it. In valgrind, this many take ten times as long.
 */
const WARM_UP_REQUESTS = { µs: 6000, instructions: 2500 };

/**
 * Connections of a load. With one, no request waits for another, so each is the same work. With eight, workerd is rarely idle.
 */
const CONNECTIONS = { µs: 8, instructions: 1 };

/** What one block cost, per request. */
export interface Block {
  /** In the unit of the meter. */
  readonly cost: number;
  readonly wallMicroseconds: number;
}

/** The measurements of a variant, one block per round. */
export interface Measured {
  readonly variant: Variant;
  readonly blocks: Block[];
  requests: number;
  /** For Gatehouse's gate: what it did during the measured blocks. */
  operations: Operations | undefined;
}

/** Measures all variants in turn, in a different order each round. */
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
    const { unit } = this.#workerd.meter;
    const { warmUpRequests = WARM_UP_REQUESTS[unit] } = this.measured.variant;
    const [probe, block] = [Math.min(PROBE[unit], warmUpRequests), BLOCK[unit]];
    const cost = await this.#connected(async (load) => {
      await this.#send(load, warmUpRequests);
      return this.#workerd.meter.during(() => this.#send(load, probe));
    });
    this.#requestsOfBlock = Math.ceil((probe * block) / (cost ?? block));
  }

  async measureBlock(): Promise<void> {
    const count = this.#requestsOfBlock;
    const [before, block] = await this.#connected(async (load) => {
      // The isolate was idle while others were measured.
      await this.#send(load, Math.ceil(count / 20));
      return [await this.#operations(), await this.#measure(() => this.#send(load, count))] as const;
    });
    const after = await this.#operations();
    if (!block) return this.measureBlock();
    const { cost, wall } = block;
    this.measured.blocks.push({ cost: cost / count, wallMicroseconds: wall / count });
    this.measured.requests += count;
    if (before && after) this.measured.operations = sum(this.measured.operations, after, before);
  }

  /** @returns `undefined` if the cost could not be determined */
  async #measure(act: () => Promise<void>): Promise<{ cost: number; wall: number } | undefined> {
    const started = performance.now();
    const cost = await this.#workerd.meter.during(act);
    return cost === undefined ? undefined : { cost, wall: (performance.now() - started) * 1000 };
  }

  /** Opens connections for one block. workerd closes those that are idle for five seconds. */
  async #connected<Result>(act: (load: Load) => Promise<Result>): Promise<Result> {
    const load = await Load.open(
      await this.#workerd.url(this.measured.variant.worker),
      CONNECTIONS[this.#workerd.meter.unit],
    );
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
