import { describeError, log } from "#platform/log.ts";

/** Returns what is only added to a search. If it fails, the search goes on without it. */
export function orWithout<Result>(nothing: Result, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    log({ level: "error", event: "search_addition_failed", detail: describeError(error) });
    return nothing;
  }
}
