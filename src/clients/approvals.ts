import { isRedirectPattern } from "#protocol/redirect-pattern.ts";
import { hostById } from "./hosts.ts";

/** Every policy snapshot carries the list, and every registration is held against all of it. */
const APPROVALS_MAX = 200;

/**
 * What is wrong with a list of approvals, each the name of a host or a redirect URI pattern. A pattern that is none would match
 * nothing, or what nobody meant, and nobody would learn of it before an app is refused.
 *
 * @returns `undefined` when nothing is
 */
export function problemOfApprovals(approvals: readonly string[]): string | undefined {
  if (approvals.length > APPROVALS_MAX) return `Approve at most ${APPROVALS_MAX} patterns`;
  const wrong = approvals.find((approval) => hostById(approval) === undefined && !isRedirectPattern(approval));
  return wrong === undefined
    ? undefined
    : `${JSON.stringify(wrong)} is no redirect URI pattern: write scheme://host/path, with * in the path only`;
}
