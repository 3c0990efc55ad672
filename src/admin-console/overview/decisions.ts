/** Long enough to replace a token in the programs that use it. */
const SOON_SECONDS = 14 * 86_400;

/** The fewest refusals a day that need attention. Fewer can come from a single app that somebody is trying out. */
const REFUSALS_MIN = 20;

/** A count needs attention if it is more than this many times the usual count. */
const RISE = 2;

/** The usual count is the average of this many days before today. */
const USUAL_DAYS = 7;

/** Returns the tokens that expire soon, soonest first. */
export function expiringSoon<Token extends { readonly expiresAt: number | null }>(
  tokens: readonly Token[],
  now: number,
): (Token & { readonly expiresAt: number })[] {
  return tokens
    .flatMap((token) => (token.expiresAt === null ? [] : [{ ...token, expiresAt: token.expiresAt }]))
    .filter(({ expiresAt }) => expiresAt < now + SOON_SECONDS)
    .sort((one, other) => one.expiresAt - other.expiresAt);
}

/** Checks whether today's count is far above that of the days before. @param counts by day, today's last */
export function hasRisen(counts: readonly number[]): boolean {
  const today = counts.at(-1) ?? 0;
  const before = counts.slice(-1 - USUAL_DAYS, -1);
  const usual = before.reduce((sum, count) => sum + count, 0) / Math.max(before.length, 1);
  return today >= REFUSALS_MIN && today > usual * RISE;
}
