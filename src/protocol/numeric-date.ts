/** The last second of the year 9999; a larger number is a mistake. */
const LATEST = 253_402_300_799;

/** Whether a claim is a NumericDate (RFC 7519 §2): seconds since 1970, with or without a fraction. A text is not one. */
export function isNumericDate(claim: unknown): claim is number {
  return typeof claim === "number" && claim > 0 && claim <= LATEST;
}
