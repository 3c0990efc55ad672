import { describeError, log } from "#platform/log.ts";
import { NextTurn } from "./reading.ts";

/** Returns what is only added to a search. If it fails, the search goes on without it. */
export function orWithout<Result>(nothing: Result, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    // It did not fail: it goes on in the next turn.
    if (error instanceof NextTurn) throw error;
    log({ level: "error", event: "search_addition_failed", detail: describeError(error) });
    return nothing;
  }
}
