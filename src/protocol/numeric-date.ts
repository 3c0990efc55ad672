/** The last second of the year 9999; a larger number is a mistake. */
const LATEST = 253_402_300_799;

/** Checks whether a claim is a NumericDate (RFC 7519 §2): seconds since 1970, with or without a fraction. A string is not one. */
export function isNumericDate(claim: unknown): claim is number {
  return typeof claim === "number" && claim > 0 && claim <= LATEST;
}

/** Returns a time that others state, in whole seconds and never later than now; now if they state none. */
export function statedTime(claim: unknown, now: number): number {
  return isNumericDate(claim) ? Math.min(Math.floor(claim), now) : now;
}

/** The most that the clocks of other people's servers may differ from ours. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/**
 * Checks whether a JWT is already valid: neither `iat` nor `nbf` is later than now (RFC 7519 §4.1.5, §4.1.6). Either may be absent.
 *
 * @param toleranceSeconds the most that the issuer's clock may be ahead
 */
export function hasBegun(
  { iat, nbf }: Readonly<Record<string, unknown>>,
  now: number,
  toleranceSeconds = CLOCK_TOLERANCE_SECONDS,
): boolean {
  return [iat, nbf].every((time) => time === undefined || (isNumericDate(time) && time <= now + toleranceSeconds));
}

/** Checks that an `exp` has not passed (RFC 7519 §4.1.4), within a tolerance. A missing or malformed one counts as passed. */
export function isUnexpired(exp: unknown, now: number, toleranceSeconds = CLOCK_TOLERANCE_SECONDS): exp is number {
  return isNumericDate(exp) && exp > now - toleranceSeconds;
}
