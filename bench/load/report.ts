import { quantile } from "../gate/statistics.ts";
import type { TableRows } from "../gate/messages.ts";
import type { Answer } from "./http.ts";
import { statedCost } from "./stated-cost.ts";
import { Timings } from "./timings.ts";
import { type Kind, KINDS, MIX } from "./traffic.ts";

/** The most by which p99 may exceed p50. */
const P99_OVER_P50_MAX = 10;

/** The most by which the last third may exceed the second, when caches are full and everything is compiled. */
const MEMORY_GROWTH_MAX = 1.25;
const P99_GROWTH_MAX = 1.5;

/** Each person's email and groups are read every ten seconds at most. Policy renewals are counted separately. */
const PERSON_READ_EVERY_SECONDS = 10;

/** The excess over the table that is allowed, because retries and races cost a little more. */
const STORAGE_TOLERANCE = 1.02;

/** The most characters of a failure, and the most different failures, that are reported. */
const FAILURE_CHARACTERS = 200;
const FAILURES_TOLD = 10;

/** With more failures than this, a run shows nothing. */
const FAILURES_MAX = 1000;

/** An interval of the run. */
interface Interval {
  readonly second: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly megabytes: number;
}

/** How the run went as a whole. */
interface Whole {
  readonly seconds: number;
  /** People who use an app at a time. */
  readonly people: number;
  /** Round trips to D1, without renewals of the policy. */
  readonly roundTrips: number;
}

/** Records what happens under load, and checks the promises. Its memory does not grow with the number of requests. */
export class LoadReport {
  readonly #begun = new Map<Kind, number>();
  readonly #timings = new Map(KINDS.map((kind) => [kind, new Timings()]));
  readonly #all = new Timings();
  readonly #serverErrors = new Map<Kind, number>();
  readonly #intervals: Interval[] = [];
  #inInterval = new Timings();
  #failures = 0;
  readonly #failuresByText = new Map<string, number>();

  begin(kind: Kind): void {
    this.#begun.set(kind, this.begun(kind) + 1);
  }

  begun(kind: Kind): number {
    return this.#begun.get(kind) ?? 0;
  }

  answered(kind: Kind, { status, milliseconds }: Answer): void {
    for (const timings of [this.#timings.get(kind), this.#all, this.#inInterval]) timings?.record(milliseconds);
    if (status >= 500) this.#serverErrors.set(kind, (this.#serverErrors.get(kind) ?? 0) + 1);
  }

  failed(what: string, error: unknown): void {
    this.#failures += 1;
    const text = `${what}: ${String(error).slice(0, FAILURE_CHARACTERS)}`;
    const before = this.#failuresByText.get(text);
    if (before !== undefined || this.#failuresByText.size < FAILURES_TOLD)
      this.#failuresByText.set(text, (before ?? 0) + 1);
  }

  get isHopeless(): boolean {
    return this.#failures > FAILURES_MAX;
  }

  /** @returns the interval that ends now, as a line of a table */
  endInterval(second: number, seconds: number, memoryBytes: number): string {
    const [timings, megabytes] = [this.#inInterval, memoryBytes / 2 ** 20];
    const requestsPerSecond = timings.count / seconds;
    this.#intervals.push({
      second,
      requestsPerSecond,
      p50: timings.quantile(0.5),
      p99: timings.quantile(0.99),
      megabytes,
    });
    this.#inInterval = new Timings();
    return this.#intervalRows().at(-1) ?? "";
  }

  /**
   * @param before rows of the tables when the traffic began @param after rows after it had ended and the triggers had run
   */
  text(whole: Whole, before: TableRows, after: TableRows): string {
    const rows = KINDS.map((kind) => {
      const [timings, errors] = [this.#timings.get(kind) ?? new Timings(), this.#serverErrors.get(kind) ?? 0];
      return `| ${kind} | ${this.begun(kind)} | ${timesOf(timings)} | ${errors} |`;
    });
    const grown = Object.entries(after).filter(([table, count]) => count !== before[table]);
    const { seconds, roundTrips } = whole;
    return [
      "| traffic | done | requests | p50, ms | p99, ms | maximum, ms | 5xx |",
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
      ...rows,
      `| all | ${sum(this.#begun.values())} | ${timesOf(this.#all)} | ${sum(this.#serverErrors.values())} |`,
      "",
      "| after, s | requests a second | p50, ms | p99, ms | memory, MB |",
      "| ---: | ---: | ---: | ---: | ---: |",
      ...this.#intervalRows(),
      "",
      "| table of D1 | rows before | rows after |",
      "| --- | ---: | ---: |",
      ...grown.map(([table, count]) => `| ${table} | ${before[table] ?? 0} | ${count} |`),
      "",
      `${(this.#all.count / seconds).toFixed(0)} requests a second.`,
      `Round trips to D1: ${roundTrips}, where docs/storage-operations.md says ${this.#stated()}, and ${this.#personReads(whole)} at most to read people.`,
    ].join("\n");
  }

  /** @returns the broken promises, in words; none if all were kept */
  brokenPromises(whole: Whole): string[] {
    const errors = sum(this.#serverErrors.values());
    const [half, most] = [this.#all.quantile(0.5), this.#all.quantile(0.99)];
    const [memory, p99] = [this.#thirds(({ megabytes }) => megabytes), this.#thirds((interval) => interval.p99)];
    const roundTripsMax = this.#stated() * STORAGE_TOLERANCE + this.#personReads(whole);
    const broken: [isBroken: boolean, what: string][] = [
      [this.#all.count === 0, "no request was answered"],
      [errors > 0, `answers with 5xx: ${errors}`],
      [this.#failures > 0, `failures: ${this.#failures}; ${this.#failuresTold()}`],
      [most > half * P99_OVER_P50_MAX, `p99 is ${(most / half).toFixed(1)} × p50`],
      [p99.last > p99.second * P99_GROWTH_MAX, `p99 grew from ${p99.second.toFixed(0)} to ${p99.last.toFixed(0)} ms`],
      [
        memory.last > memory.second * MEMORY_GROWTH_MAX,
        `memory grew from ${memory.second.toFixed(0)} to ${memory.last.toFixed(0)} MB`,
      ],
      [
        whole.roundTrips > roundTripsMax,
        `${whole.roundTrips} round trips to D1, at most ${roundTripsMax.toFixed(0)} were expected`,
      ],
    ];
    return broken.flatMap(([isBroken, what]) => (isBroken ? [what] : []));
  }

  #failuresTold(): string {
    return [...this.#failuresByText].map(([text, count]) => `${count} × ${text}`).join("; ");
  }

  #intervalRows(): string[] {
    return this.#intervals.map(({ second, requestsPerSecond, p50, p99, megabytes }) => {
      const cells = [second, requestsPerSecond, p50, p99, megabytes].map((number) => number.toFixed(0));
      return `| ${cells.join(" | ")} |`;
    });
  }

  /** Returns the medians of the second and the last third of the intervals. */
  #thirds(of: (interval: Interval) => number): { readonly second: number; readonly last: number } {
    const third = Math.ceil(this.#intervals.length / 3);
    const middle = (part: readonly Interval[]) =>
      quantile(
        part.map(of).sort((one, other) => one - other),
        0.5,
      );
    return { second: middle(this.#intervals.slice(third, 2 * third)), last: middle(this.#intervals.slice(2 * third)) };
  }

  /**
   * Returns the most reads of people: one per search at most. Somebody who signs in replaces another person, and is read too.
   */
  #personReads({ seconds, people }: Whole): number {
    const byTime = people * (Math.ceil(seconds / PERSON_READ_EVERY_SECONDS) + 1) + this.begun("sign-in");
    return Math.min(byTime, this.begun("search") + this.begun("MCP"));
  }

  /** Returns the round trips that docs/storage-operations.md states for everything that was done. */
  #stated(): number {
    return sum(KINDS.map((kind) => this.begun(kind) * statedCost(MIX[kind].rows, "round trips")));
  }
}

function timesOf(timings: Timings): string {
  const milliseconds = [timings.quantile(0.5), timings.quantile(0.99), timings.max];
  return [String(timings.count), ...milliseconds.map((number) => number.toFixed(0))].join(" | ");
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}
