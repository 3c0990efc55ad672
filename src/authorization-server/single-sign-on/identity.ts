import type { SingleSignOn } from "#instance/settings.ts";
import { OAuthError } from "#protocol/errors.ts";

/** A person as the organisation's SSO vouches for them. Issuer and subject are who they are; the rest describes them. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case: mail systems and document permissions do not tell cases apart. */
  readonly email: string;
  readonly name: string;
  readonly groups: readonly string[];
}

/** Beyond this a directory claim is a mistake, and would make every search of the person slow. */
const GROUPS_MAX = 500;

/**
 * Reads a person out of a validated ID token's claims.
 *
 * An email that the SSO itself calls unverified is somebody's claim about themselves: taking it would let that somebody read
 * another person's documents (nOAuth). Absent `email_verified` passes: several SSOs never send it.
 *
 * @throws {OAuthError} `access_denied` when a required claim differs, or the email is missing or unverified
 */
export function parseIdentity(
  claims: Readonly<Record<string, unknown>>,
  sso: Pick<SingleSignOn, "emailClaim" | "groupsClaim" | "requiredClaims">,
): Identity {
  const { iss, sub, name, email_verified: verified } = claims;
  const email = claims[sso.emailClaim];
  for (const [claim, value] of Object.entries(sso.requiredClaims)) {
    if (claims[claim] !== value) throw outsider();
  }
  if (typeof iss !== "string" || typeof sub !== "string" || sub === "") throw unusable("sso_subject_missing");
  if (typeof email !== "string" || !/^[^@\s]{1,64}@[^@\s]{1,255}$/.test(email)) throw unusable("sso_email_missing");
  if (verified === false || verified === "false") throw unusable("sso_email_unverified");
  return {
    issuer: iss,
    subject: sub,
    email: email.toLowerCase(),
    name: typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 200) : email,
    groups: parseGroups(claims[sso.groupsClaim]),
  };
}

function parseGroups(claim: unknown): string[] {
  const list = typeof claim === "string" ? [claim] : Array.isArray(claim) ? (claim as unknown[]) : [];
  const groups = list.filter(
    (group): group is string => typeof group === "string" && group !== "" && group.length <= 200,
  );
  return [...new Set(groups)].slice(0, GROUPS_MAX);
}

function outsider(): OAuthError {
  return new OAuthError("access_denied", {
    reason: "sso_required_claim_differs",
    description: "You signed in with an account that does not belong to this organisation: use your work account",
  });
}

function unusable(reason: string): OAuthError {
  return new OAuthError("access_denied", {
    reason,
    description:
      "Your organisation's sign-in did not give a verified email address: ask your administrator to allow it",
  });
}
