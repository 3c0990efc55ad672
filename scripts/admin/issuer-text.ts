import { type Finding, sentencesOf } from "#platform/finding.ts";
import { type ExternalIssuer, givesAccessTokens } from "#issuers/external-issuer.ts";

/** An identity provider as the Admin API returns it. */
export type Issuer = ExternalIssuer & { readonly isDisabled: boolean };

/** What is accepted from an issuer. */
const ACCEPTED: Readonly<Record<ExternalIssuer["accepts"], string>> = {
  "access-tokens": "access tokens",
  "id-jags": "identity assertions",
  both: "access tokens and identity assertions",
};

/** Describes a registration to the person who made it, with warnings. */
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
      "Warning: you vouch for every email address of this issuer. Anybody there, including guests, who can set an unverified address can see what its owner may see.",
    );
  }
  return lines;
}

/** Writes a finding as a line, which begins with "Warning:" unless all is well. */
export function lineOf(finding: Finding): string {
  return finding.verdict === "ok" ? sentencesOf(finding) : `Warning: ${sentencesOf(finding)}`;
}

/** Describes how people are identified. */
export function personOf({ personBy, personClaim, emailVouchedBy, emailVerifiedClaim }: Issuer): string {
  if (personBy === "subject") return `person by the subject in ${personClaim}`;
  const vouchedBy = emailVouchedBy === "administrator" ? "the administrator" : emailVerifiedClaim;
  return `person by the email in ${personClaim}, vouched for by ${vouchedBy}`;
}
