import { describeError } from "#platform/log.ts";

/** `warning`: it works, but not as it should, or this can't be determined from here. */
export type Verdict = "ok" | "warning" | "failed";

/** The result of one check, by the doctor or on a page that tests what somebody entered. */
export interface Finding {
  /** What was checked, in a few words. */
  readonly check: string;
  readonly verdict: Verdict;
  /** What it means, in one sentence. */
  readonly meaning: string;
  /** What to do, in one sentence; absent if there is nothing to do. */
  readonly remedy?: string;
}

export function ok(check: string, meaning: string): Finding {
  return { check, verdict: "ok", meaning };
}

export function warning(check: string, meaning: string, remedy?: string): Finding {
  return { check, verdict: "warning", meaning, ...(remedy === undefined ? {} : { remedy }) };
}

export function failed(check: string, meaning: string, remedy: string): Finding {
  return { check, verdict: "failed", meaning, remedy };
}

/** Returns a finding's meaning, with what to do. */
export function sentencesOf({ meaning, remedy }: Finding): string {
  return remedy === undefined ? meaning : `${meaning} ${remedy}`;
}

/** Describes for a page why something failed: the error's own message, without the names and causes that are for the log. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, "") : describeError(error);
}

/** Runs a check. If it can't be carried out, it has failed too, with the reason and what to do about it. */
export async function attempt(check: string, remedy: string, run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    return failed(check, `It could not be checked: ${reasonOf(error)}.`, remedy);
  }
}
