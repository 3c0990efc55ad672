/** Long enough to rotate a token in whatever uses it. */
const SOON_SECONDS = 14 * 86_400;

/** Fewer can come from one app that somebody tries out. */
const REFUSALS_MIN = 20;

/** More than this many times the usual count needs attention. */
const RISE = 2;

/** How many days before today make up the usual count. */
const USUAL_DAYS = 7;

/** Tokens that expire soon, the soonest first. */
export function expiringSoon<Token extends { readonly expiresAt: number | null }>(
  tokens: readonly Token[],
  now: number,
): (Token & { readonly expiresAt: number })[] {
  return tokens
    .flatMap((token) => (token.expiresAt === null ? [] : [{ ...token, expiresAt: token.expiresAt }]))
    .filter(({ expiresAt }) => expiresAt < now + SOON_SECONDS)
    .sort((one, other) => one.expiresAt - other.expiresAt);
}

/** Whether the last day's count is far above that of the days before it. @param counts by day, today's last */
export function hasRisen(counts: readonly number[]): boolean {
  const today = counts.at(-1) ?? 0;
  const before = counts.slice(-1 - USUAL_DAYS, -1);
  const usual = before.reduce((sum, count) => sum + count, 0) / Math.max(before.length, 1);
  return today >= REFUSALS_MIN && today > usual * RISE;
}
