import { haveRequired, readGroups } from "#people/directory-claims.ts";
import type { Identity } from "#people/people.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import { signInAccountClaimOf } from "#issuers/vendor-rules.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import { displayName } from "#protocol/display-name.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/**
 * Reads a person out of a validated ID token's claims.
 *
 * An email that the SSO itself calls unverified is somebody's claim about themselves: taking it would let that somebody read
 * another person's documents (nOAuth). Absent `email_verified` passes: several SSOs never send it.
 *
 * @param registered the SSO's issuer where the APIs take its access tokens too
 * @throws {OAuthError} `access_denied` when a required claim differs, or the email is missing or unverified
 */
export function parseIdentity(
  claims: Readonly<Record<string, unknown>>,
  sso: Pick<SingleSignOn, "emailClaim" | "emailVouchedBy" | "groupsClaim" | "requiredClaims">,
  registered?: ExternalIssuer,
): Identity {
  const { iss, sub, name, email_verified: verified } = claims;
  const email = parseEmailAddress(claims[sso.emailClaim]);
  if (!haveRequired(claims, sso.requiredClaims)) throw outsider();
  if (typeof iss !== "string" || typeof sub !== "string" || sub === "") throw unusable("sso_subject_missing");
  if (email === undefined) throw unusable("sso_email_missing");
  if (verified !== undefined && verified !== true) throw unusable("sso_email_unverified");
  // It is about the claim `email` (OpenID Connect Core §5.1): people may choose their user name.
  const isVerified = verified === true && parseEmailAddress(claims["email"]) === email;
  return {
    issuer: iss,
    subject: sub,
    account: readAccount(claims, registered ?? { issuer: iss }),
    email,
    name: displayName(name) ?? email,
    groups: readGroups(claims[sso.groupsClaim]),
    isEmailVerified: isVerified || sso.emailVouchedBy === "administrator",
  };
}

/** Entra's `sub` is another one for each application, so the account is what makes a sign-in and an access token one person's. */
function readAccount(
  claims: Readonly<Record<string, unknown>>,
  issuer: Pick<ExternalIssuer, "issuer" | "accountClaim">,
): string | undefined {
  const claim = signInAccountClaimOf(issuer);
  const account = claim === "sub" ? undefined : claims[claim];
  return typeof account === "string" && account !== "" ? account : undefined;
}

function outsider(): OAuthError {
  return new OAuthError("access_denied", {
    reason: "sso_required_claim_differs",
    description: "You signed in with an account that does not belong to this organisation: use your work account",
  });
}

function unusable(reason: RefusalReason): OAuthError {
  return new OAuthError("access_denied", {
    reason,
    description: "Your organisation's sign-in didn't provide a verified email address: ask your administrator",
  });
}
