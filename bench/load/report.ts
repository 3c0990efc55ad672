import { quantile, spreadOf } from "../gate/statistics.ts";
import type { Answer } from "./http.ts";
import { statedCost } from "./stated-cost.ts";
import { type Kind, MIX, PEOPLE } from "./traffic.ts";

/** What the slowest of a hundred may take, in times of the middle one. */
const P99_OVER_P50_MAX = 10;

/** Memory at the end over memory after the first third, when caches are full. */
const MEMORY_GROWTH_MAX = 1.25;

/** Policy renewals are counted apart; each person's email and groups are read every ten seconds at most. */
const PERSON_READ_EVERY_SECONDS = 10;

/** Of what the table says: retries and races cost a little more. */
const STORAGE_TOLERANCE = 1.02;

/** Of a failure's text, which may quote a page. */
const FAILURE_CHARACTERS = 300;

/** What happened under load, and whether it is as promised. */
export class LoadReport {
  /** Bytes that the process held, at equal intervals. */
  readonly memory: number[] = [];
  readonly #begun = new Map<Kind, number>();
  readonly #milliseconds = new Map<Kind, number[]>();
  readonly #serverErrors = new Map<Kind, number>();
  readonly #failures: string[] = [];

  begin(kind: Kind): void {
    this.#begun.set(kind, (this.#begun.get(kind) ?? 0) + 1);
  }

  answered(kind: Kind, { status, milliseconds }: Answer): void {
    const all = this.#milliseconds.get(kind) ?? [];
    all.push(milliseconds);
    this.#milliseconds.set(kind, all);
    if (status >= 500) this.#serverErrors.set(kind, (this.#serverErrors.get(kind) ?? 0) + 1);
  }

  failed(kind: Kind, error: unknown): void {
    this.#failures.push(`${kind}: ${String(error).slice(0, FAILURE_CHARACTERS)}`);
  }

  /** @param roundTrips to D1, but for renewals of the policy */
  table(seconds: number, roundTrips: number): string {
    const rows = [...(Object.keys(MIX) as Kind[]), undefined].map((kind) => {
      const times = this.#times(kind);
      const errors = kind ? (this.#serverErrors.get(kind) ?? 0) : sum([...this.#serverErrors.values()]);
      const begun = kind ? (this.#begun.get(kind) ?? 0) : sum([...this.#begun.values()]);
      const [half, most] = [0.5, 0.99].map((share) => quantile(times, share).toFixed(1));
      return `| ${kind ?? "all"} | ${begun} | ${times.length} | ${half} | ${most} | ${quantile(times, 1).toFixed(0)} | ${errors} |`;
    });
    const { start, end } = this.#memoryMegabytes();
    return [
      "| traffic | done | requests | p50 ms | p99 ms | max ms | 5xx |",
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
      ...rows,
      "",
      `${(this.#times().length / seconds).toFixed(0)} requests a second. Memory ${start.toFixed(0)} MB after a third, ${end.toFixed(0)} MB at the end.`,
      `Round trips to D1: ${roundTrips}, where docs/storage-operations.md says ${this.#stated()}, and ${this.#personReads(seconds)} at most to read people.`,
    ].join("\n");
  }

  /** @returns what did not hold, in words; nothing if all did */
  brokenPromises(seconds: number, roundTrips: number): string[] {
    const errors = sum([...this.#serverErrors.values()]);
    const times = this.#times();
    const [half, most] = [quantile(times, 0.5), quantile(times, 0.99)];
    const { start, end } = this.#memoryMegabytes();
    const roundTripsMax = this.#stated() * STORAGE_TOLERANCE + this.#personReads(seconds);
    const broken: [isBroken: boolean, what: string][] = [
      [errors > 0, `answers with 5xx: ${errors}`],
      [this.#failures.length > 0, `failed requests: ${this.#failures.length}, such as ${this.#failures[0] ?? ""}`],
      [most > half * P99_OVER_P50_MAX, `p99 is ${(most / half).toFixed(1)} × p50`],
      [end > start * MEMORY_GROWTH_MAX, `memory grew from ${start.toFixed(0)} to ${end.toFixed(0)} MB`],
      [
        roundTrips > roundTripsMax,
        `${roundTrips} round trips to D1, at most ${roundTripsMax.toFixed(0)} were expected`,
      ],
    ];
    return broken.flatMap(([isBroken, what]) => (isBroken ? [what] : []));
  }

  #times(kind?: Kind): number[] {
    const all = kind ? (this.#milliseconds.get(kind) ?? []) : [...this.#milliseconds.values()].flat();
    return all.toSorted((left, right) => left - right);
  }

  /** The middle of the second third, and of the last. */
  #memoryMegabytes(): { readonly start: number; readonly end: number } {
    const third = Math.ceil(this.memory.length / 3);
    const middle = (part: readonly number[]) => spreadOf(part).median / 2 ** 20;
    return { start: middle(this.memory.slice(third, 2 * third)), end: middle(this.memory.slice(-third)) };
  }

  #personReads(seconds: number): number {
    return PEOPLE * (Math.ceil(seconds / PERSON_READ_EVERY_SECONDS) + 1);
  }

  /** Round trips that the table of docs/storage-operations.md states for what was done. */
  #stated(): number {
    return sum([...this.#begun].map(([kind, count]) => count * statedCost(MIX[kind].rows, "round trips")));
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
