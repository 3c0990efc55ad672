import type { ApiError } from "#protocol/errors.ts";
import type { Way } from "./client-api-gate.ts";
import { EXTERNAL_CHECKS } from "./explained-external.ts";
import type { Facts } from "./explained-facts.ts";
import { OWN_CHECKS, SERVICE_CHECKS } from "./explained-own.ts";

/** One check of the gate, as an administrator reads of it. */
export interface Step {
  readonly title: string;
  /** `open`: the gate stopped before it came to this. */
  readonly outcome: "holds" | "fails" | "open";
  readonly text: string;
}

/** A check that the gate makes, by the reasons with which it refuses there. The order is the gate's. */
export interface Check {
  readonly title: string;
  readonly reasons: readonly string[];
  /** What was compared with what; true whether it held or not. */
  fact(facts: Facts): string;
}

const CHECKS: Readonly<Record<Way["kind"], readonly Check[]>> = {
  own: OWN_CHECKS,
  external: EXTERNAL_CHECKS,
  "service-issued": SERVICE_CHECKS,
};

/**
 * The checks as they went. A refusal for a reason that stands in no list is told as it is: it is never guessed which check it
 * was, or that others held.
 */
export function stepsOf(kind: Way["kind"], facts: Facts, refusal: ApiError | undefined): Step[] {
  const checks = CHECKS[kind];
  if (!refusal) return checks.map((check) => ({ title: check.title, outcome: "holds", text: check.fact(facts) }));
  const failed = checks.findIndex(({ reasons }) => reasons.includes(refusal.reason));
  if (failed < 0) return [{ title: "The gate’s answer", outcome: "fails", text: `${refusal.description}.` }];
  return checks.map((check, index) => {
    const { title } = check;
    if (index < failed) return { title, outcome: "holds", text: check.fact(facts) };
    if (index > failed) return { title, outcome: "open", text: "Not looked at: the gate stopped before." };
    return { title, outcome: "fails", text: `${check.fact(facts)} ${refusal.description}.` };
  });
}
