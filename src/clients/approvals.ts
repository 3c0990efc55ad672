import { isRedirectPattern } from "#protocol/redirect-pattern.ts";
import { hostById, RECOGNISABLE_HOSTS } from "./hosts.ts";

/** The most approvals in a list: every policy snapshot contains the list, and every registration is compared with all of it. */
const APPROVALS_MAX = 200;

/**
 * Returns what is wrong with a list of approvals, each the name of a host or a redirect URI pattern. An invalid pattern would
 * match nothing, or something unintended, and nobody would notice until an app is refused.
 *
 * @returns `undefined` if nothing is wrong
 */
export function problemOfApprovals(approvals: readonly string[]): string | undefined {
  if (approvals.length > APPROVALS_MAX) return `Approve at most ${APPROVALS_MAX} patterns`;
  const wrong = approvals.find((approval) => hostById(approval) === undefined && !isRedirectPattern(approval));
  return wrong === undefined
    ? undefined
    : `${JSON.stringify(wrong)} is neither a redirect URI pattern nor a known app: write scheme://host/path, with * only in the path`;
}

/**
 * Returns what is wrong with a list of hosts that may ask who people are. The name of a host that can't be recognised would have no
 * effect.
 *
 * @returns `undefined` if nothing is wrong
 */
export function problemOfIdentityHosts(ids: readonly string[]): string | undefined {
  const known = RECOGNISABLE_HOSTS.map(({ id }) => id);
  const wrong = ids.find((id) => !known.includes(id));
  return wrong === undefined
    ? undefined
    : `${JSON.stringify(wrong)} is no app that can be recognised: use ${known.join(", ")}`;
}
