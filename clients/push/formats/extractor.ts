import { Worker } from "node:worker_threads";
import { reasonOf } from "../failure.ts";
import type { Extracted } from "./extracted.ts";
import type { Order, Outcome } from "./worker.ts";

export interface ExtractorLimits {
  readonly milliseconds: number;
  /** The memory of the thread's objects. */
  readonly heapMegabytes: number;
  /** How much the whole process may grow while it reads one file: libraries also keep bytes outside of the heap. */
  readonly growthMegabytes: number;
}

const EXTRACTOR_LIMITS: ExtractorLimits = { milliseconds: 60_000, heapMegabytes: 256, growthMegabytes: 350 };

/** How often the memory of the process is looked at, in milliseconds. */
const LOOK_EVERY = 50;

/**
 * Reads files in a thread of its own, one after the other. A file that makes a library run forever or use too much memory ends the
 * thread, and the next file gets a new one.
 */
export class Extractor {
  readonly #limits: ExtractorLimits;
  #worker: Worker | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(limits: ExtractorLimits = EXTRACTOR_LIMITS) {
    this.#limits = limits;
  }

  /** Reads a file, whose bytes can't be used afterwards. @throws with the reason if it can't be read */
  read(order: Order): Promise<Extracted> {
    const turn = this.#turn.then(() => this.#read(order));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #read(order: Order): Promise<Extracted> {
    const worker = (this.#worker ??= this.#start());
    const { milliseconds, growthMegabytes } = this.#limits;
    const before = process.memoryUsage.rss();
    const startedAt = performance.now();
    const outcome = await new Promise<Outcome>((settle) => {
      const give = (problem: string) => {
        this.#worker = undefined;
        void worker.terminate();
        end({ problem });
      };
      const watch = setInterval(() => {
        if (performance.now() - startedAt > milliseconds) give(`not read within ${milliseconds / 1000} seconds`);
        else if (process.memoryUsage.rss() - before > growthMegabytes * 1e6) give("needs too much memory");
      }, LOOK_EVERY);
      const end = (reached: Outcome) => {
        clearInterval(watch);
        for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
        worker.on("error", () => undefined);
        settle(reached);
      };
      worker.on("message", end);
      worker.on("error", (error: NodeJS.ErrnoException) =>
        give(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "needs too much memory" : reasonOf(error)),
      );
      worker.on("exit", () => give("the library that reads it ended unexpectedly"));
      const { buffer } = order.bytes;
      worker.postMessage(order, buffer instanceof ArrayBuffer ? [buffer] : []);
    });
    if ("problem" in outcome) throw new Error(reasonOf(outcome.problem));
    return outcome.extracted;
  }

  #start(): Worker {
    // The same ending as this file, which is TypeScript in the repository and JavaScript in the package.
    const ending = import.meta.url.split(".").at(-1) ?? "js";
    const worker = new Worker(new URL(`./worker.${ending}`, import.meta.url), {
      // No secret of the environment reaches code that handles hostile files.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMegabytes, maxYoungGenerationSizeMb: 32 },
    });
    worker.unref();
    return worker;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }
}
