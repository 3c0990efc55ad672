import { writesTrueAsText } from "#issuers/vendor-rules.ts";

/**
 * Returns what a token says about its email address: `true` if it is verified, `false` if it is not, or if the claim can't be read;
 * `undefined` if nobody says.
 *
 * Only the JSON value `true` is the provider's word (OpenID Connect Core §5.1). The text "true" is, too, from providers that write it
 * as text, or if an administrator vouches for the addresses. `null` is no claim (§5.3.2). An administrator never overrides a provider
 * that calls an address unverified, because its holder may have chosen it (nOAuth).
 */
export function readEmailVerified(
  claim: unknown,
  issuer: string,
  vouchedBy: "token" | "administrator" | undefined,
): boolean | undefined {
  const isVouchedFor = vouchedBy === "administrator" || undefined;
  if (claim === true) return true;
  if (claim === undefined || claim === null) return isVouchedFor;
  if (typeof claim !== "string" || claim.toLowerCase() !== "true") return false;
  return writesTrueAsText(issuer) || isVouchedFor;
}
