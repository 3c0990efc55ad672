import type { ActingApp } from "#protocol/access-token-claims.ts";

/** The part of a policy snapshot that decides which apps may act with exchanged tokens. */
interface ActingPolicy {
  readonly exchangers: ReadonlySet<string>;
  readonly disabledClients: ReadonlySet<string>;
}

/**
 * Finds out why access that apps passed on has ended: one of them may no longer exchange tokens, or one was disabled.
 *
 * @param apps as in `act`, the current one first. The last has its access from the person or from an identity provider; none
 *   for access that was not passed on
 */
export function findActingFault(
  { exchangers, disabledClients }: ActingPolicy,
  apps: readonly ActingApp[],
): "token_exchange_off" | "client_disabled" | undefined {
  const exchanging = apps.filter(({ iss }, at) => iss === undefined && at < apps.length - 1);
  if (!exchanging.every(({ sub }) => exchangers.has(sub))) return "token_exchange_off";
  return apps.some(({ iss, sub }) => iss === undefined && disabledClients.has(sub)) ? "client_disabled" : undefined;
}
