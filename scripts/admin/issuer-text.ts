import { type Finding, sentencesOf } from "#platform/finding.ts";
import { type ExternalIssuer, givesAccessTokens } from "#issuers/external-issuer.ts";

/** An identity provider as the Admin API answers it. */
export type Issuer = ExternalIssuer & { readonly isDisabled: boolean };

/** What is accepted from an issuer, in words. */
const ACCEPTED: Readonly<Record<ExternalIssuer["accepts"], string>> = {
  "access-tokens": "access tokens",
  "id-jags": "identity assertions",
  both: "access tokens and identity assertions",
};

/** What a registration comes to, for the person who made it, with what they should be aware of. */
export function linesOf(instanceName: string, registered: Issuer): string[] {
  const { issuer, audiences, clientIds, clientIdClaim, emailVouchedBy, personBy, scopes } = registered;
  const clients = `${clientIds.length} application${clientIds.length === 1 ? "" : "s"}`;
  const lines = [
    registered.isDisabled
      ? `${instanceName} keeps ${issuer}, disabled: npm run admin -- issuer enable ${instanceName} ${issuer}`
      : `${instanceName} accepts ${ACCEPTED[registered.accepts]} of ${issuer} for ${clients} with ${scopes.join(", ")}, and identifies the ${personOf(registered)}. This takes effect within 10 seconds.`,
  ];
  if (givesAccessTokens(registered) && audiences.length === 0 && clientIdClaim !== "aud") {
    lines.push(
      "Warning: without --audience, tokens that these applications got for other services are accepted too, and those services could use them here.",
    );
  }
  if (personBy === "email" && emailVouchedBy === "administrator") {
    lines.push(
      "Warning: you vouch for every email address of this issuer. Anybody there, including guests, who can set an unverified address can read as its owner.",
    );
  }
  return lines;
}

/** A finding as a line: what is not in order begins with "Warning:". */
export function lineOf(finding: Finding): string {
  return finding.verdict === "ok" ? sentencesOf(finding) : `Warning: ${sentencesOf(finding)}`;
}

/** How people are identified, in words. */
export function personOf({ personBy, personClaim, emailVouchedBy, emailVerifiedClaim }: Issuer): string {
  if (personBy === "subject") return `person by the subject in ${personClaim}`;
  const vouchedBy = emailVouchedBy === "administrator" ? "the administrator" : emailVerifiedClaim;
  return `person by the email in ${personClaim}, vouched for by ${vouchedBy}`;
}
