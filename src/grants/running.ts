import { parseScopes } from "#protocol/scopes.ts";

/** What decides whether a grant is running. Times are seconds since 1970. */
export interface GrantState {
  readonly scope: string;
  readonly redeemedAt: number | null;
  readonly rotatedAt: number | null;
  readonly revokedAt: number | null;
  readonly expiresAt: number;
  /** When the last of its access tokens expires; 0 before the first. */
  readonly tokensUntil: number;
}

/**
 * Whether a grant gives access: one of its access tokens is alive, or its refresh token gets another. `running.sql.ts` is the same
 * rule in SQL; `test/grants/running.test.ts` holds the two equal.
 *
 * @param idleSeconds the instance's `grantIdleSeconds`
 */
export function isRunning(grant: GrantState, idleSeconds: number, now: number): boolean {
  if (grant.redeemedAt === null || grant.revokedAt !== null) return false;
  return grant.tokensUntil > now || isRefreshable(grant, idleSeconds, now);
}

/** Whether a grant's newest refresh token gets tokens. */
export function isRefreshable(grant: GrantState, idleSeconds: number, now: number): boolean {
  if (grant.redeemedAt === null || grant.revokedAt !== null) return false;
  if (!parseScopes(grant.scope).includes("offline_access")) return false;
  return Math.min(grant.expiresAt, (grant.rotatedAt ?? grant.redeemedAt) + idleSeconds) > now;
}

/** When a grant last gave tokens by its code or a refresh; `null` before the first. */
export function lastUsedAt(grant: Pick<GrantState, "redeemedAt" | "rotatedAt">): number | null {
  return grant.rotatedAt ?? grant.redeemedAt;
}
