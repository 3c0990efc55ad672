import type { Finding } from "#platform/finding.ts";

const MARKS: Readonly<Record<Finding["verdict"], string>> = { ok: "ok     ", warning: "warning", failed: "FAILED " };

/** Writes a finding for a terminal, with what to do in a line of its own. */
export function linesOf({ check, verdict, meaning, remedy }: Finding): readonly string[] {
  return [`  ${MARKS[verdict]}  ${check}: ${meaning}`, ...(remedy === undefined ? [] : [`           ${remedy}`])];
}
