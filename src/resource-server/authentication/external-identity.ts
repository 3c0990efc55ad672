import { readGroups } from "#people/directory-claims.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import type { ExternalIdentity } from "#people/external-people.ts";
import { ApiError } from "#protocol/errors.ts";

/**
 * Reads the person out of verified claims. An email that nobody vouches for is its holder's own claim: taking it would let
 * them read another person's documents (nOAuth).
 *
 * @throws {ApiError} `invalid_token`
 */
export function readIdentity(claims: Readonly<Record<string, unknown>>, issuer: ExternalIssuer): ExternalIdentity {
  const { name } = claims;
  const groups = issuer.groupsClaim === undefined ? undefined : claims[issuer.groupsClaim];
  return {
    person: issuer.personBy === "email" ? { email: readEmail(claims, issuer) } : readSubject(claims, issuer),
    name: typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 200) : undefined,
    groups: groups === undefined ? undefined : readGroups(groups),
  };
}

function readEmail(claims: Readonly<Record<string, unknown>>, issuer: ExternalIssuer): string {
  const email = parseEmailAddress(claims[issuer.personClaim]);
  if (email === undefined) {
    throw unusable(
      "external_email_missing",
      `The token names no person: its claim ${issuer.personClaim} must hold an email address`,
    );
  }
  if (issuer.emailVouchedBy === "token" && !isAffirmed(claims[issuer.emailVerifiedClaim])) {
    throw unusable(
      "external_email_unverified",
      `The token's email address is not verified: its claim ${issuer.emailVerifiedClaim} must be true`,
    );
  }
  return email;
}

function readSubject(claims: Readonly<Record<string, unknown>>, { issuer, personClaim }: ExternalIssuer) {
  const subject = claims[personClaim];
  if (typeof subject !== "string" || subject === "") {
    throw unusable(
      "external_subject_missing",
      `The token names no person: its claim ${personClaim} must hold a subject`,
    );
  }
  return { issuer, subject };
}

/** Providers spell it in each of these ways; all else, absence above all, is a no. */
function isAffirmed(claim: unknown): boolean {
  return claim === true || claim === "true" || claim === 1 || claim === "1";
}

function unusable(reason: string, description: string): ApiError {
  return new ApiError("invalid_token", { reason, description });
}
