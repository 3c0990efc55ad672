import { createHistogram } from "node:perf_hooks";

const MICROSECONDS = 1000;

/** How long requests took: counted in steps of a thousandth of the time, so that half an hour takes no more memory than a minute. */
export class Timings {
  readonly #histogram = createHistogram({ figures: 3 });

  record(milliseconds: number): void {
    this.#histogram.record(Math.max(1, Math.round(milliseconds * MICROSECONDS)));
  }

  get count(): number {
    return this.#histogram.count;
  }

  /** Milliseconds; 0 if there was nothing. */
  get max(): number {
    return this.count === 0 ? 0 : this.#histogram.max / MICROSECONDS;
  }

  /** What a share of them did not exceed, in milliseconds; 0 if there was nothing. */
  quantile(share: number): number {
    return this.count === 0 ? 0 : this.#histogram.percentile(share * 100) / MICROSECONDS;
  }
}
