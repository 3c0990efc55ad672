import { changesOf, firstRow, readsRepeated, runBatch, runStatement, StorageUnavailable } from "#platform/d1.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const READ = "SELECT 1";
const WRITE = "UPDATE grants SET redeemed_at = 1 RETURNING id";

/** The errors that Cloudflare lists (https://developers.cloudflare.com/d1/observability/debug-d1/#error-list). */
const ERRORS = {
  notRun: [
    "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
    "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
    "D1_ERROR: database is locked: SQLITE_BUSY",
  ],
  resultLost: [
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: D1 DB reset because its code was updated.",
    "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
    "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    "D1_ERROR: Can't read from request stream because client disconnected.",
  ],
  final: [
    "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
    "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
    "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
    "D1_ERROR: no such table: grants: SQLITE_ERROR",
  ],
};

/** A database that does what it is asked and then fails, so often. */
class FailingDatabase {
  calls = 0;
  /** When it was called, in milliseconds of the test's clock. */
  readonly times: number[] = [];
  readonly database: D1Database;

  constructor(message: string, failures = 1) {
    const act = async (): Promise<D1Result> => {
      this.calls += 1;
      this.times.push(Date.now());
      if (this.calls <= failures) throw new Error(message);
      return { success: true, results: [], meta: { changes: 1 } } as unknown as D1Result;
    };
    const statement = (): object => ({ bind: statement, first: async () => (await act(), null), all: act, run: act });
    const batch = async (statements: object[]) => {
      const result = await act();
      return statements.map(() => result);
    };
    this.database = readsRepeated({ prepare: statement, batch } as unknown as D1Database);
  }
}

/** Calls the database in each way, with its values bound. @returns how often it was called */
async function callsOf(message: string, act: (database: D1Database) => Promise<unknown>): Promise<number> {
  const failing = new FailingDatabase(message);
  const outcome = act(failing.database).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  const error = await outcome;
  expect(error instanceof StorageUnavailable).toBe(failing.calls === 1);
  return failing.calls;
}

const CALLS = {
  read: (database: D1Database) => firstRow(database.prepare(READ).bind(1)),
  reads: (database: D1Database) => runBatch(database, [database.prepare(READ), database.prepare(READ).bind(1)]),
  claim: (database: D1Database) => firstRow(database.prepare(WRITE).bind(1)),
  write: (database: D1Database) => runStatement(database.prepare(WRITE)),
  writes: (database: D1Database) => runBatch(database, [database.prepare(READ), database.prepare(WRITE)]),
  repeatable: (database: D1Database) => runStatement(database.prepare(WRITE), "repeatable"),
  repeatableBatch: (database: D1Database) => runBatch(database, [database.prepare(WRITE)], "repeatable"),
};

describe("a call of D1 that fails", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function allCallsOf(message: string): Promise<Record<string, number>> {
    const calls = Object.entries(CALLS).map(async ([name, act]) => [name, await callsOf(message, act)] as const);
    return Object.fromEntries(await Promise.all(calls));
  }

  it.each(ERRORS.notRun)("is repeated whatever it does, because nothing has run: %s", async (message) => {
    const twice = Object.keys(CALLS).map((name) => [name, 2]);
    expect(await allCallsOf(message)).toEqual(Object.fromEntries(twice));
  });

  it.each(ERRORS.resultLost)(
    "is repeated only if it may run twice, because its result was lost: %s",
    async (message) => {
      const [repeatable, repeatableBatch] = [2, 2];
      expect(await allCallsOf(message)).toEqual({
        read: 2,
        reads: 2,
        claim: 1,
        write: 1,
        writes: 1,
        repeatable,
        repeatableBatch,
      });
    },
  );

  it.each(ERRORS.final)("is not repeated: %s", async (message) => {
    const once = Object.keys(CALLS).map((name) => [name, 1]);
    expect(await allCallsOf(message)).toEqual(Object.fromEntries(once));
  });

  it("is made at most five times, with longer and longer random waits", async () => {
    const failing = new FailingDatabase("Network connection lost.", Infinity);
    const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
    const outcome = CALLS.read(failing.database).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await outcome).toBeInstanceOf(StorageUnavailable);
    expect(failing.calls).toBe(5);
    expect(failing.times.slice(1).map((time, call) => time - (failing.times[call] ?? 0))).toEqual([50, 100, 200, 400]);
    random.mockRestore();
  });

  it("is given up after ten seconds, and not repeated after that", async () => {
    let calls = 0;
    const all = () => {
      calls += 1;
      return new Promise((_, reject) => setTimeout(() => reject(new Error("Network connection lost.")), 10_001));
    };
    const statement = { bind: () => statement, all, run: all, first: all };
    const database = readsRepeated({ prepare: () => statement } as unknown as D1Database);
    const outcome = CALLS.read(database).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(9999);
    const early = await Promise.race([outcome, Promise.resolve("waiting")]);
    await vi.advanceTimersByTimeAsync(1);
    expect([early, await outcome]).toEqual(["waiting", expect.any(StorageUnavailable)]);
    await vi.runAllTimersAsync();
    expect(calls).toBe(1);
  });

  it("leaves no timer when it succeeds", async () => {
    const { database } = new FailingDatabase("", 0);
    expect(changesOf(await runBatch(database, [database.prepare(WRITE)]), 0)).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
