/** The last second of the year 9999; a larger number is a mistake. */
const LATEST = 253_402_300_799;

/** Whether a claim is a NumericDate (RFC 7519 §2): seconds since 1970, with or without a fraction. A text is not one. */
export function isNumericDate(claim: unknown): claim is number {
  return typeof claim === "number" && claim > 0 && claim <= LATEST;
}

/** How far the clocks of other people's servers may be from ours. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/**
 * Whether a JWT has begun: neither `iat` nor `nbf` is later than now (RFC 7519 §4.1.5, §4.1.6). Either may be absent.
 *
 * @param toleranceSeconds how much later the issuer's clock may be
 */
export function hasBegun(
  { iat, nbf }: Readonly<Record<string, unknown>>,
  now: number,
  toleranceSeconds = CLOCK_TOLERANCE_SECONDS,
): boolean {
  return [iat, nbf].every((time) => time === undefined || (isNumericDate(time) && time <= now + toleranceSeconds));
}

/** Whether an `exp` says that a JWT is still good (RFC 7519 §4.1.4); a missing or malformed one doesn't. */
export function isUnexpired(exp: unknown, now: number): exp is number {
  return isNumericDate(exp) && exp > now - CLOCK_TOLERANCE_SECONDS;
}
