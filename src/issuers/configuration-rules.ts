import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type ExternalIssuer, externalIssuerSchema, givesAccessTokens } from "./external-issuer.ts";
import { ISSUER_MEMBERS } from "./issuer-members.ts";
import { instanceOfHost } from "#platform/host-naming.ts";
import { isSafeUrl, objectionToIssuer } from "./safe-issuer.ts";
import { foldDomain, isEmailDomain } from "#protocol/email-address.ts";
import * as v from "valibot";
import { against, type Objection } from "./objection.ts";
import { objectionByVendor } from "./vendor-rules.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/**
 * A configuration as an administrator enters it. Absent fields get their defaults, and everything has to be checked.
 */
export type IssuerDraft = Readonly<Partial<Record<keyof ExternalIssuer, unknown>>>;

/** Facts that a configuration is checked against. */
export interface Surroundings {
  /** The pattern of this deployment's own hosts, which contains `{instance}`. */
  readonly hostPattern: string;
  /** The issuers of the instance's SSOs. */
  readonly singleSignOnIssuers: readonly string[];
}

/** Claims that have their own check in every token. */
const CHECKED_CLAIMS = new Set(["iss", "aud", "exp", "nbf", "iat"]);

/** Claims that contain an account's identifier, at one provider or another. */
const SUBJECT_CLAIMS = new Set(["sub", "uid"]);
const IDENTIFIER_CLAIMS = new Set([...SUBJECT_CLAIMS, "oid"]);

/**
 * Reads a configuration, and checks that it is safe and can work.
 *
 * @returns the configuration with its defaults
 * @throws {AdministrationRefused} if it is not acceptable, with the field that has to change
 */
export function readConfiguration(draft: IssuerDraft, surroundings: Surroundings): ExternalIssuer {
  const parsed = v.safeParse(externalIssuerSchema, draft);
  if (!parsed.success) {
    const field = parsed.issues[0].path?.[0].key as keyof ExternalIssuer | undefined;
    throw new AdministrationRefused(
      field === undefined ? "The configuration is not an object" : ISSUER_MEMBERS[field].expected,
      field,
    );
  }
  const configuration = {
    ...parsed.output,
    clientIds: [...new Set(parsed.output.clientIds)],
    audiences: audiencesOf(parsed.output),
    algorithms: [...new Set(parsed.output.algorithms)],
    emailDomains: [...new Set(parsed.output.emailDomains.map((domain) => foldDomain(domain)))],
    scopes: [...new Set(parsed.output.scopes)],
  };
  const objection =
    against("issuer", objectionToIssuer("The issuer", configuration)) ??
    objectionToKeys(configuration) ??
    objectionToNames(configuration) ??
    objectionToBar(configuration) ??
    objectionWithoutHeader(configuration) ??
    against("issuer", objectionToOwn(configuration, surroundings.hostPattern)) ??
    // The rules about vendors are about their access tokens.
    (givesAccessTokens(configuration) ? objectionByVendor(configuration) : undefined) ??
    objectionToPerson(configuration, surroundings.singleSignOnIssuers);
  if (objection) throw new AdministrationRefused(objection.message, objection.field);
  return configuration;
}

/** Returns the audiences. If the claim `aud` names the application, its client ids are the audiences. */
function audiencesOf({ audiences, clientIdClaim, clientIds }: ExternalIssuer): string[] {
  return [...new Set(audiences.length === 0 && clientIdClaim === "aud" ? clientIds : audiences)];
}

function objectionToKeys({ issuer, jwksUri }: ExternalIssuer): Objection | undefined {
  if (jwksUri === undefined) return undefined;
  if (!isSafeUrl(jwksUri)) {
    return against("jwksUri", "The URL of the keys must be https, without a user name, password or fragment");
  }
  if (issuer.startsWith("https:") && !jwksUri.startsWith("https:")) {
    return against(
      "jwksUri",
      "The keys of an https issuer need an https URL: over http, they could be replaced on the way",
    );
  }
  return undefined;
}

/** Refuses a bar, because it separates an issuer from the names of its groups. */
function objectionToBar({ issuer }: ExternalIssuer): Objection | undefined {
  return issuer.includes("|") ? against("issuer", "The issuer contains a |: write it as %7C") : undefined;
}

/** Any application sends its token as plain Bearer. Only the audience shows that one at `/mcp` was meant for this service. */
function objectionWithoutHeader(configuration: ExternalIssuer): Objection | undefined {
  const { audiences, headerOptionalAtMcp } = configuration;
  if (!headerOptionalAtMcp || (audiences.length > 0 && givesAccessTokens(configuration))) return undefined;
  return givesAccessTokens(configuration)
    ? against("audiences", "Without the header at /mcp, tokens need an audience: enter the one of this service")
    : against("headerOptionalAtMcp", "Identity assertions are never sent to /mcp: leave this off");
}

const CONTROL_CHARACTER = unicodePattern(String.raw`\p{Cc}`, "u");

function objectionToNames({ clientIds, audiences, requiredClaims }: ExternalIssuer): Objection | undefined {
  const isTorn = (value: string) => value.trim() !== value || CONTROL_CHARACTER().test(value);
  const torn = [...clientIds, ...audiences].find(isTorn);
  if (torn !== undefined) {
    const field = clientIds.includes(torn) ? "clientIds" : "audiences";
    return against(field, `There is white space in or around ${JSON.stringify(torn)}: copy it again`);
  }
  const checked = Object.keys(requiredClaims).find((claim) => CHECKED_CLAIMS.has(claim));
  if (checked !== undefined) {
    return against(
      "requiredClaims",
      `The claim ${checked} has its own check${checked === "aud" ? ": set audiences instead" : ""}`,
    );
  }
  return undefined;
}

/**
 * Refuses this deployment's own instances. Their tokens have their own rules; registered as an identity provider's, they would be
 * checked by weaker rules, and accepted across instances.
 */
function objectionToOwn({ issuer }: ExternalIssuer, pattern: string): string | undefined {
  const own = instanceOfHost(new URL(issuer).hostname.replace(/\.$/, ""), { pattern, localDevelopment: false });
  return own === undefined ? undefined : `This is the issuer of the instance ${own}: you don't have to register it`;
}

function objectionToPerson(configuration: ExternalIssuer, ssoIssuers: readonly string[]): Objection | undefined {
  const { issuer, personBy, personClaim, emailVouchedBy, emailDomains } = configuration;
  if (personBy === "email") {
    const wrong = emailDomains.find((domain) => !isEmailDomain(domain));
    if (wrong !== undefined) return against("emailDomains", `${wrong} is not an email domain: write acme.example`);
    if (emailDomains.length === 0) {
      return against("emailDomains", "Enter your organisation's email domains at this provider, such as acme.example");
    }
    if (!IDENTIFIER_CLAIMS.has(personClaim)) return undefined;
    return against(
      "personClaim",
      `The claim ${personClaim} doesn't contain an email address: identify people by subject, or set the claim with their email`,
    );
  }
  if (!ssoIssuers.includes(issuer)) {
    return against(
      "personBy",
      "People can be identified by subject only if the same issuer is the SSO: " +
        `${ssoIssuers.join(" and ") || "no SSO"} does, not ${issuer}. Identify people by email`,
    );
  }
  if (!SUBJECT_CLAIMS.has(personClaim)) {
    return against(
      "personClaim",
      `Use the claim sub for a subject, or uid at Okta: people may be able to choose their ${personClaim}`,
    );
  }
  if (emailVouchedBy === "administrator") {
    return against("emailVouchedBy", "If people are identified by subject, leave out who vouches for emails");
  }
  return undefined;
}
