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
 * Reads a person from the claims of a validated ID token.
 *
 * If the SSO itself calls an email unverified, users may have set it themselves: accepting it would let them read another person's
 * documents (nOAuth). A missing `email_verified` is accepted, because several SSOs never send it.
 *
 * @param registered the SSO as an identity provider, if the APIs accept its access tokens too
 * @throws {OAuthError} `access_denied` if a required claim differs, the subject or email is missing, or the email is unverified
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
  // `email_verified` is about the claim `email` (OpenID Connect Core §5.1), not about another email claim, such as a user name.
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

/**
 * Reads the account's identifier. It links a person's sign-ins with their access tokens even at Entra, whose `sub` differs for each
 * application.
 */
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
