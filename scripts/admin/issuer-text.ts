import { type Finding, sentencesOf } from "#platform/finding.ts";
import type { RegisteredIssuer } from "#issuers/registration.ts";

/** One line of `issuer list`. */
export function summaryOf({ configuration, isDisabled }: RegisteredIssuer): string {
  const { issuer, name, clientIds, audiences, scopes } = configuration;
  return [
    issuer,
    isDisabled ? "disabled" : "enabled",
    name,
    `clients ${clientIds.join(" ")}`,
    `audiences ${audiences.length === 0 ? "any" : audiences.join(" ")}`,
    scopes.join(" "),
    personOf({ configuration }),
  ].join("  ");
}

/** What a registration comes to, for the person who made it, with what they should be aware of. */
export function linesOf(instanceName: string, registered: RegisteredIssuer): string[] {
  const { issuer, audiences, clientIds, clientIdClaim, emailVouchedBy, personBy, scopes } = registered.configuration;
  const clients = `${clientIds.length} application${clientIds.length === 1 ? "" : "s"}`;
  const lines = [
    registered.isDisabled
      ? `${instanceName} keeps ${issuer}, disabled: npm run admin -- issuer enable ${instanceName} ${issuer}`
      : `${instanceName} accepts access tokens of ${issuer} for ${clients} with ${scopes.join(", ")}, and identifies the ${personOf(registered)}. This takes effect within 10 seconds.`,
  ];
  if (audiences.length === 0 && clientIdClaim !== "aud") {
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

function personOf({ configuration }: Pick<RegisteredIssuer, "configuration">): string {
  const { personBy, personClaim, emailVouchedBy, emailVerifiedClaim } = configuration;
  if (personBy === "subject") return `person by the subject in ${personClaim}`;
  const vouchedBy = emailVouchedBy === "administrator" ? "the administrator" : emailVerifiedClaim;
  return `person by the email in ${personClaim}, vouched for by ${vouchedBy}`;
}
