import { DatabaseSync } from "node:sqlite";

/** Returns the least of the milliseconds of CPU that an act takes: other programs only make it slower. */
export function cpuOf(act: () => unknown, times = 1): number {
  const all = Array.from({ length: times }, () => {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...all);
}

/** What the floor takes on the machine for which `src/documents/work.ts` is calibrated, with nothing else running. */
const QUIET_MILLISECONDS = 2;

/** A fixed piece of work, measured beside each item: a busy machine makes both slower. */
export class Floor {
  readonly #database = new DatabaseSync(":memory:");

  constructor() {
    this.#database.exec("CREATE TABLE floor (word TEXT PRIMARY KEY) WITHOUT ROWID");
    for (let time = 0; time < 5; time++) this.#work();
  }

  /** Returns how many times longer than on a quiet machine things take now. */
  now(): number {
    return cpuOf(() => this.#work(), 9) / QUIET_MILLISECONDS;
  }

  #work(): void {
    const words = "the quick brown fox jumps over the lazy dog ".repeat(1500).match(/[a-z]+/g) ?? [];
    const counts = new Map<string, number>();
    for (const [at, word] of words.entries()) counts.set(word + (at % 900), at);
    const insert = this.#database.prepare("INSERT OR REPLACE INTO floor (word) VALUES (?)");
    this.#database.exec("BEGIN");
    for (const word of [...counts.keys()].slice(0, 2000)) insert.run(word);
    this.#database.exec("COMMIT");
  }
}
