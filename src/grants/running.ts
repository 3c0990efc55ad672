import { parseScopes } from "#protocol/scopes.ts";

/** The part of a grant that decides whether it is running. Times are seconds since 1970. */
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
 * Checks whether a grant gives access: one of its access tokens has not expired, or its refresh token can get another.
 * `running.sql.ts` is the same rule in SQL; `test/grants/running.test.ts` keeps the two equal.
 *
 * @param idleSeconds the instance's `grantIdleSeconds`
 */
export function isRunning(grant: GrantState, idleSeconds: number, now: number): boolean {
  if (grant.redeemedAt === null || grant.revokedAt !== null) return false;
  return grant.tokensUntil > now || isRefreshable(grant, idleSeconds, now);
}

/** Checks whether a grant's newest refresh token can get tokens. */
export function isRefreshable(grant: GrantState, idleSeconds: number, now: number): boolean {
  if (grant.redeemedAt === null || grant.revokedAt !== null) return false;
  if (!parseScopes(grant.scope).includes("offline_access")) return false;
  return Math.min(grant.expiresAt, (grant.rotatedAt ?? grant.redeemedAt) + idleSeconds) > now;
}

/** Returns when a grant last gave tokens, by its code or a refresh; `null` before the first. */
export function lastUsedAt(grant: Pick<GrantState, "redeemedAt" | "rotatedAt">): number | null {
  return grant.rotatedAt ?? grant.redeemedAt;
}
