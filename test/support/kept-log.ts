import { afterAll, afterEach } from "vitest";

/** The methods that the Worker logs with, one line per call. */
const LEVELS = ["info", "warn", "error"] as const;

/** The most lines of a failed test that are printed. */
const LINES_MAX = 1000;

type Level = (typeof LEVELS)[number];

/**
 * Keeps the Worker's log lines here and prints only those of a failed test, the only ones that vitest shows. Sending tens of
 * thousands to vitest took as much time as many tests. Applies to the file that is being set up.
 */
export function keepLog(): void {
  const { info, warn, error } = console;
  const print = { info, warn, error };
  const kept: [level: Level, values: unknown[]][] = [];
  for (const level of LEVELS) {
    console[level] = (...values: unknown[]) => {
      if (kept.length === 2 * LINES_MAX) kept.splice(0, LINES_MAX);
      kept.push([level, values]);
    };
  }
  const printKept = () => {
    for (const [level, values] of kept.splice(0).slice(-LINES_MAX)) print[level](...values);
  };
  // Without a timeout, because vitest would start a timer for it after each test.
  afterEach(({ task }) => {
    if (task.result?.state === "fail") printKept();
    kept.length = 0;
  }, 0);
  afterAll(() => {
    // A hook failed before the first test or after the last.
    printKept();
    Object.assign(console, print);
  });
}
