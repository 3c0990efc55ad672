import { readGroups, readGroupsOf } from "#people/directory-claims.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import { accountClaimOf, signInAccountClaimOf } from "#issuers/vendor-rules.ts";
import { displayName } from "#protocol/display-name.ts";
import { domainOf, parseEmailAddress } from "#protocol/email-address.ts";
import type { Account, ExternalIdentity, PersonLookup } from "#people/external-people.ts";
import { ApiError } from "#protocol/errors.ts";
import { isNumericDate } from "#protocol/numeric-date.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { readEmailVerified } from "./email-verification.ts";

/**
 * Reads the person from verified claims. If nobody vouches for an email, users may have set it themselves: accepting it would let
 * them read another person's documents (nOAuth).
 *
 * @throws {ApiError} `invalid_token`
 */
export function readIdentity(claims: Readonly<Record<string, unknown>>, issuer: ExternalIssuer): ExternalIdentity {
  const { name } = claims;
  const groups = issuer.groupsClaim === undefined ? undefined : claims[issuer.groupsClaim];
  return {
    person:
      issuer.personBy === "email"
        ? { email: readEmail(claims, issuer), account: readAccount(claims, issuer), emailDomains: issuer.emailDomains }
        : readSubject(claims, issuer, issuer.personClaim),
    name: displayName(name),
    groups:
      groups === undefined
        ? undefined
        : issuer.groupsMeetDirectory
          ? readGroups(groups)
          : readGroupsOf(issuer.issuer, groups),
    groupsMeetDirectory: issuer.groupsMeetDirectory,
  };
}

/**
 * Checks whether a token was issued before its person was signed out everywhere. A token without `iat` counts as issued before, and so
 * does one whose `iat` names only the second of the sign-out: nothing tells which of the two came first.
 *
 * @param signedOutAt milliseconds since 1970
 */
export function isFromBefore(iat: unknown, signedOutAt: number | null | undefined): boolean {
  return typeof signedOutAt === "number" && !(isNumericDate(iat) && iat * 1000 > signedOutAt);
}

/**
 * Returns the id of the person that was found for an identity, if the provider may still speak for them.
 *
 * @param iat the token's `iat`
 * @throws {ApiError} `invalid_token`
 */
export function requireFound(found: PersonLookup, issuer: ExternalIssuer, iat: unknown): string {
  if (found === "unknown") {
    throw invalid("external_person_unknown", "The token's person has never signed in: sign in once, then try again");
  }
  if (found === "taken") {
    throw invalid(
      "external_email_taken",
      "Another account of this provider already uses this email address: ask an administrator to release the person",
    );
  }
  if (found.isDeactivated) throw invalid("person_deactivated", "The person's account is deactivated");
  if (isFromBefore(iat, found.signedOutAt)) {
    throw invalid(
      "signed_out_since",
      "The person was signed out after this token was issued: sign in and get a new one",
    );
  }
  // The provider's list of domains may have been reduced since the account was linked.
  if (issuer.personBy === "email" && !speaksFor(issuer, found.email)) {
    throw invalid(
      "external_email_domain_foreign",
      "The email domain of the token's person is not registered for this provider",
    );
  }
  return found.personId;
}

function readEmail(claims: Readonly<Record<string, unknown>>, issuer: ExternalIssuer): string {
  const email = parseEmailAddress(claims[issuer.personClaim]);
  if (email === undefined) {
    throw invalid(
      "external_email_missing",
      `The token doesn't identify a person: its claim ${issuer.personClaim} must be an email address`,
    );
  }
  if (!speaksFor(issuer, email)) {
    throw invalid(
      "external_email_domain_foreign",
      `The token's email domain is not registered for this provider: ${issuer.emailDomains.join(", ")}`,
    );
  }
  if (!isVouchedFor(claims, issuer)) {
    throw invalid(
      "external_email_unverified",
      `The token's email address is not verified: its claim ${issuer.emailVerifiedClaim} must be true`,
    );
  }
  return email;
}

/** Checks whether the email is in one of the domains that the provider is registered for. */
function speaksFor({ emailDomains }: ExternalIssuer, email: string): boolean {
  return emailDomains.includes(domainOf(email));
}

/** Reads the account's identifier, which, unlike the email address, never passes to another person. */
function readAccount(claims: Readonly<Record<string, unknown>>, issuer: ExternalIssuer): Account {
  return {
    ...readSubject(claims, issuer, accountClaimOf(issuer)),
    isSignInSubject: signInAccountClaimOf(issuer) === "sub",
  };
}

function readSubject(claims: Readonly<Record<string, unknown>>, { issuer }: ExternalIssuer, personClaim: string) {
  const subject = claims[personClaim];
  if (typeof subject !== "string" || subject === "") {
    throw invalid(
      "external_subject_missing",
      `The token doesn't identify a person: its claim ${personClaim} must be a subject`,
    );
  }
  return { issuer, subject };
}

/** Checks whether anybody vouches that the person owns the address: the token or, if it says nothing, an administrator. */
function isVouchedFor(claims: Readonly<Record<string, unknown>>, configuration: ExternalIssuer): boolean {
  const { emailVerifiedClaim, emailVouchedBy, issuer } = configuration;
  return readEmailVerified(claims[emailVerifiedClaim], issuer, emailVouchedBy) === true;
}

function invalid(reason: RefusalReason, description: string): ApiError {
  return new ApiError("invalid_token", { reason, description });
}
