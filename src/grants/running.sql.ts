/** The parameters of the statement that contains these conditions. */
export interface RunningParameters {
  /** The moment, in seconds. */
  readonly now: string;
  /** The instance's `grantIdleSeconds`. */
  readonly idleSeconds: string;
}

/**
 * Returns `isRunning` of `running.ts` as a condition on a row of `grants`.
 *
 * @param grant the table's name or alias in the statement
 */
export function running(grant: string, parameters: RunningParameters): string {
  return `(${grant}.redeemed_at IS NOT NULL AND ${grant}.revoked_at IS NULL
    AND (${grant}.tokens_until > ${parameters.now} OR ${refreshable(grant, parameters)}))`;
}

/** Returns `isRefreshable` of `running.ts` as a condition on a row of `grants`. */
export function refreshable(grant: string, { now, idleSeconds }: RunningParameters): string {
  return `(${grant}.redeemed_at IS NOT NULL AND ${grant}.revoked_at IS NULL
    AND ${mayBeOffline(grant)}
    AND min(${grant}.expires_at, ${lastUsed(grant)} + ${idleSeconds}) > ${now})`;
}

/** Returns the condition that a grant's scope allows refreshes at all. */
export function mayBeOffline(grant: string): string {
  return `instr(' ' || lower(${grant}.scope) || ' ', ' offline_access ') > 0`;
}

/** Returns SQL for when a grant last gave tokens, by its code or a refresh; NULL before the first. */
export function lastUsed(grant: string): string {
  return `COALESCE(${grant}.rotated_at, ${grant}.redeemed_at)`;
}
