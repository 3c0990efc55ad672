import { haveRequired, readGroups, readGroupsOf } from "#people/directory-claims.ts";
import type { Identity } from "#people/people.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import { signInAccountClaimOf } from "#issuers/vendor-rules.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import { displayName } from "#protocol/display-name.ts";
import { domainOf, parseEmailAddress } from "#protocol/email-address.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { readEmailVerified } from "./email-verification.ts";

/**
 * Reads a person from the claims of a validated ID token.
 *
 * If the SSO itself calls an email unverified, users may have set it themselves: accepting it would let them read another person's
 * documents (nOAuth). A missing `email_verified` is accepted, because several SSOs never send it. A refusal names the claim and what
 * it says, so that an administrator can change it at the SSO.
 *
 * @param registered the SSO as an identity provider, if the APIs accept its access tokens too
 * @throws {OAuthError} `access_denied` if a required claim differs, the subject or email is missing, or the email is
 *   unverified or of another domain
 */
export function parseIdentity(
  claims: Readonly<Record<string, unknown>>,
  sso: Pick<
    SingleSignOn,
    "emailClaim" | "emailDomains" | "emailVouchedBy" | "groupsClaim" | "groupsMeetDirectory" | "requiredClaims"
  >,
  registered?: ExternalIssuer,
): Identity {
  const { iss, sub, name } = claims;
  const { groupsMeetDirectory = true } = sso;
  const email = parseEmailAddress(claims[sso.emailClaim]);
  for (const [claim, value] of Object.entries(sso.requiredClaims)) {
    if (!haveRequired(claims, { [claim]: value })) throw refused("sso_required_claim_differs", OUTSIDER, claims, claim);
  }
  if (typeof iss !== "string") throw refused("sso_subject_missing", UNUSABLE, claims, "iss");
  if (typeof sub !== "string" || sub === "") throw refused("sso_subject_missing", UNUSABLE, claims, "sub");
  if (email === undefined) throw refused("sso_email_missing", UNUSABLE, claims, sso.emailClaim);
  if (sso.emailDomains?.length && !sso.emailDomains.includes(domainOf(email))) {
    throw refused("sso_email_domain_foreign", FOREIGN, claims, sso.emailClaim);
  }
  const verified = readEmailVerified(claims["email_verified"], iss, sso.emailVouchedBy);
  if (verified === false) throw refused("sso_email_unverified", UNUSABLE, claims, "email_verified");
  // `email_verified` is about the claim `email` (OpenID Connect Core §5.1), not about another email claim, such as a user name.
  const isVerified = verified === true && parseEmailAddress(claims["email"]) === email;
  return {
    issuer: iss,
    subject: sub,
    account: readAccount(claims, registered ?? { issuer: iss }),
    email,
    name: displayName(name) ?? email,
    groups: groupsMeetDirectory ? readGroups(claims[sso.groupsClaim]) : readGroupsOf(iss, claims[sso.groupsClaim]),
    groupsMeetDirectory,
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

const OUTSIDER = "You signed in with an account that does not belong to this organisation: use your work account";
const FOREIGN = "Your email domain is not one of those that sign in here: use the sign-in of your own organisation";
const UNUSABLE = "Your organisation's sign-in didn't provide a verified email address: ask your administrator";

/** The most characters of a claim's value that a refusal repeats. */
const VALUE_CHARACTERS_MAX = 60;

function refused(
  reason: RefusalReason,
  description: string,
  claims: Readonly<Record<string, unknown>>,
  claim: string,
): OAuthError {
  const written = displayName(JSON.stringify(claims[claim]), VALUE_CHARACTERS_MAX);
  const about = `${claim} ${written === undefined ? "is missing" : `is ${written}`}`;
  return new OAuthError("access_denied", { reason, about, description: `${description} (${about})` });
}
