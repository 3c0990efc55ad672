import { afterAll, afterEach } from "vitest";

/** What the Worker logs by, a line a call. */
const LEVELS = ["info", "warn", "error"] as const;

/** As many lines as the last ones of a test are printed. */
const LINES_MAX = 1000;

type Level = (typeof LEVELS)[number];

/**
 * Keeps the Worker's log lines here until they are asked for: vitest shows those of a failed test alone, and to send it tens of thousands
 * took as much time as many tests. Applies to the file that is being set up.
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
  // Without a limit of time, for which vitest would start a timer after each test.
  afterEach(({ task }) => {
    if (task.result?.state === "fail") printKept();
    kept.length = 0;
  }, 0);
  afterAll(() => {
    // A hook failed before any test ran, or after the last.
    printKept();
    Object.assign(console, print);
  });
}
