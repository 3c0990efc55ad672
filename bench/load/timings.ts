import { createHistogram } from "node:perf_hooks";

const MICROSECONDS = 1000;

/** Durations of requests, rounded to a thousandth, so that half an hour takes no more memory than a minute. */
export class Timings {
  readonly #histogram = createHistogram({ figures: 3 });

  record(milliseconds: number): void {
    this.#histogram.record(Math.max(1, Math.round(milliseconds * MICROSECONDS)));
  }

  get count(): number {
    return this.#histogram.count;
  }

  /** The longest, in milliseconds; 0 if there was none. */
  get max(): number {
    return this.count === 0 ? 0 : this.#histogram.max / MICROSECONDS;
  }

  /** Returns the duration in milliseconds that a share of them did not exceed; 0 if there was none. */
  quantile(share: number): number {
    return this.count === 0 ? 0 : this.#histogram.percentile(share * 100) / MICROSECONDS;
  }
}
