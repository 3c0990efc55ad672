import { ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import { clientClaimOf } from "#issuers/registered-client.ts";
import { capital, claim, type Facts, list, moment, said } from "./explained-facts.ts";
import type { Check } from "./explained-steps.ts";

/** What the gate asks of an identity provider's token, in its order. */
export const EXTERNAL_CHECKS: readonly Check[] = [
  {
    title: "Form",
    reasons: [],
    fact: ({ authTypeHeader }) => `It is a signed JWT, and the header ${authTypeHeader}: OAUTH announces it.`,
  },
  {
    title: "Identity providers’ tokens",
    reasons: ["external_tokens_not_enabled"],
    fact: ({ policy }) =>
      `The setting is ${policy.settings.externalTokensEnabled ? "on" : "off"}; enabled providers: ${policy.externalIssuers.size}.`,
  },
  { title: "Issuer", reasons: ["external_issuer_not_registered", "token_of_another_instance"], fact: issuerFact },
  {
    title: "Algorithm",
    reasons: ["external_algorithm_not_allowed"],
    fact: ({ jwt, issuer }) =>
      `The header’s alg says ${said(jwt?.header["alg"])}; allowed for this issuer: ${list(issuer?.algorithms ?? [], "none")}.`,
  },
  {
    title: "Type",
    reasons: ["external_token_type_wrong"],
    fact: ({ jwt }) => `The header’s typ says ${said(jwt?.header["typ"])}; at+jwt, JWT or nothing will do.`,
  },
  {
    title: "Key",
    reasons: ["external_key_unnamed", "external_key_unknown", "external_keys_unavailable"],
    fact: ({ jwt, publishedKeys }) =>
      `The header’s kid says ${said(jwt?.header["kid"])}; keys that the issuer publishes: ${publishedKeys.length}` +
      `${publishedKeys.length === 0 ? "" : ` (${publishedKeys.slice(0, 10).join(", ")})`}.`,
  },
  {
    title: "Signature",
    reasons: ["external_signature_wrong"],
    fact: () => "It is held against that key alone; a token that was changed or cut, or brings a key along, fails.",
  },
  { title: "Application", reasons: ["external_client_not_registered"], fact: applicationFact },
  {
    title: "Audience",
    reasons: ["external_audience_wrong", "external_token_is_id_token"],
    fact: (facts) =>
      `${capital(claim(facts, "aud"))}; ${facts.issuer?.audiences.length ? `one of these is wanted: ${facts.issuer.audiences.join(", ")}` : "none is set for this issuer, so any will do"}.`,
  },
  {
    title: "Kind of token",
    reasons: ["external_token_sender_constrained", "external_token_is_event"],
    fact: (facts) => `${capital(claim(facts, "cnf"))}, and ${claim(facts, "events")}; neither may be there.`,
  },
  { title: "Organisation", reasons: ["external_required_claim_differs"], fact: requiredFact },
  {
    title: "Times",
    reasons: ["external_expiry_missing", "external_expiry_too_far", "external_token_expired", "token_not_yet_valid"],
    fact: timesFact,
  },
  {
    title: "Person",
    reasons: [
      "external_email_missing",
      "external_email_domain_foreign",
      "external_email_taken",
      "external_email_unverified",
      "external_subject_missing",
      "external_person_unknown",
      "person_deactivated",
    ],
    fact: personFact,
  },
  {
    title: "Scope of the call",
    reasons: ["scope_missing"],
    fact: ({ route, issuer }) =>
      `${route} needs ${ROUTE_SCOPES[route]}; this issuer’s tokens have ${list(issuer?.scopes ?? [], "none")}, whatever they say.`,
  },
];

function issuerFact(facts: Facts): string {
  const { issuer, policy } = facts;
  if (issuer) return `${capital(claim(facts, "iss"))}, which is registered as ${issuer.name}.`;
  const enabled = list([...policy.externalIssuers.keys()], "none");
  return `${capital(claim(facts, "iss"))}; it is compared with each character of these, which are registered and enabled: ${enabled}.`;
}

function applicationFact(facts: Facts): string {
  const { issuer, jwt } = facts;
  if (!issuer || !jwt) return "";
  const name = clientClaimOf(jwt.payload, issuer);
  const named = name === undefined ? "No claim names the application" : capital(claim(facts, name));
  return `${named}; client ids that pass: ${issuer.clientIds.join(", ")}.`;
}

function requiredFact(facts: Facts): string {
  const required = Object.entries(facts.issuer?.requiredClaims ?? {});
  if (required.length === 0) return "No claim is required of this issuer’s tokens.";
  return required.map(([name, value]) => `${name} must be ${said(value)}; ${claim(facts, name)}.`).join(" ");
}

function personFact(facts: Facts): string {
  const { issuer, person, jwt } = facts;
  if (!issuer) return "";
  const { emailVouchedBy, emailVerifiedClaim, personBy, personClaim } = issuer;
  const sentences = [`${capital(claim(facts, personClaim))}.`];
  if (personBy === "email") {
    sentences.push(`It speaks for people of ${list(issuer.emailDomains, "no domain")}.`);
    sentences.push(
      emailVouchedBy === "administrator"
        ? "An administrator vouches for this issuer’s addresses."
        : `That the address is its holder’s is for the claim ${emailVerifiedClaim} to say, which says ${said(jwt?.payload[emailVerifiedClaim])}.`,
    );
  }
  if (person) sentences.push(foundFact(person));
  return sentences.join(" ");
}

function foundFact({ identity: { person }, found }: NonNullable<Facts["person"]>): string {
  const who = "email" in person ? person.email : person.subject;
  if (found === "taken") return `Another account of this provider has acted for ${who}.`;
  if (found !== "unknown") return found.isDeactivated ? `${who} is deactivated here.` : `${who} is known here.`;
  return "email" in person ? `Nobody here is ${who} yet: the person would be created at first use.` : "";
}

/** The same for each kind of JWT. */
export function timesFact({ jwt, now }: Facts): string {
  const { iat, nbf, exp } = jwt?.payload ?? {};
  const begin = nbf === undefined ? "" : `, valid from ${moment(nbf)}`;
  return `Issued ${moment(iat)}${begin}, expires ${moment(exp)}; it is ${moment(now)} now.`;
}
