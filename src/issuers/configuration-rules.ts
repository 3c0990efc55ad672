import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type ExternalIssuer, externalIssuerSchema, givesAccessTokens } from "./external-issuer.ts";
import { ISSUER_MEMBERS } from "./issuer-members.ts";
import { instanceOfHost } from "#platform/host-naming.ts";
import { isSafeUrl, objectionToIssuer } from "./safe-issuer.ts";
import { foldDomain, isEmailDomain } from "#protocol/email-address.ts";
import * as v from "valibot";
import { against, requireVendorsForm } from "./vendor-rules.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";

/**
 * A configuration as an administrator enters it. Absent fields get their defaults, and everything has to be checked.
 */
export type IssuerDraft = Readonly<Partial<Record<keyof ExternalIssuer, unknown>>>;

/** The fields of an issuer that an administrator changes; `undefined` resets a field to its default. */
export type IssuerChanges = Omit<IssuerDraft, "issuer">;

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
  const objection = objectionToIssuer("The issuer", configuration);
  if (objection !== undefined) throw against("issuer", objection);
  requireKeysForm(configuration);
  requireNamesForm(configuration);
  requireHeaderOrAudience(configuration);
  refuseOwn(configuration, surroundings.hostPattern);
  // The rules about vendors are about their access tokens.
  if (givesAccessTokens(configuration)) requireVendorsForm(configuration);
  requirePersonsForm(configuration, surroundings.singleSignOnIssuers);
  return configuration;
}

/** Returns the audiences. If the claim `aud` names the application, its client ids are the audiences. */
function audiencesOf({ audiences, clientIdClaim, clientIds }: ExternalIssuer): string[] {
  return [...new Set(audiences.length === 0 && clientIdClaim === "aud" ? clientIds : audiences)];
}

function requireKeysForm({ issuer, jwksUri }: ExternalIssuer): void {
  if (jwksUri === undefined) return;
  if (!isSafeUrl(jwksUri)) {
    throw against("jwksUri", "The URL of the keys must be https, without a user name, password or fragment");
  }
  if (issuer.startsWith("https:") && !jwksUri.startsWith("https:")) {
    throw against(
      "jwksUri",
      "The keys of an https issuer need an https URL: over http, they could be replaced on the way",
    );
  }
}

/** Any application sends its token as plain Bearer. Only the audience shows that one at `/mcp` was meant for this service. */
function requireHeaderOrAudience(configuration: ExternalIssuer): void {
  const { audiences, headerOptionalAtMcp } = configuration;
  if (!headerOptionalAtMcp || (audiences.length > 0 && givesAccessTokens(configuration))) return;
  throw givesAccessTokens(configuration)
    ? against("audiences", "Without the header at /mcp, tokens need an audience: enter the one of this service")
    : against("headerOptionalAtMcp", "Identity assertions are never sent to /mcp: leave this off");
}

const CONTROL_CHARACTER = unicodePattern(String.raw`\p{Cc}`, "u");

function requireNamesForm({ clientIds, audiences, requiredClaims }: ExternalIssuer): void {
  const isTorn = (value: string) => value.trim() !== value || CONTROL_CHARACTER().test(value);
  const torn = [...clientIds, ...audiences].find(isTorn);
  if (torn !== undefined) {
    const field = clientIds.includes(torn) ? "clientIds" : "audiences";
    throw against(field, `There is white space in or around ${JSON.stringify(torn)}: copy it again`);
  }
  const checked = Object.keys(requiredClaims).find((claim) => CHECKED_CLAIMS.has(claim));
  if (checked !== undefined) {
    throw against(
      "requiredClaims",
      `The claim ${checked} has its own check${checked === "aud" ? ": set audiences instead" : ""}`,
    );
  }
}

/**
 * Refuses this deployment's own instances. Their tokens have their own rules; registered as an identity provider's, they would be
 * checked by weaker rules, and accepted across instances.
 */
function refuseOwn({ issuer }: ExternalIssuer, pattern: string): void {
  const own = instanceOfHost(new URL(issuer).hostname.replace(/\.$/, ""), { pattern, localDevelopment: false });
  if (own !== undefined)
    throw against("issuer", `This is the issuer of the instance ${own}: you don't have to register it`);
}

function requirePersonsForm(configuration: ExternalIssuer, ssoIssuers: readonly string[]): void {
  const { issuer, personBy, personClaim, emailVouchedBy, emailDomains } = configuration;
  if (personBy === "email") {
    const wrong = emailDomains.find((domain) => !isEmailDomain(domain));
    if (wrong !== undefined) throw against("emailDomains", `${wrong} is not an email domain: write acme.example`);
    if (emailDomains.length === 0) {
      throw against("emailDomains", "Enter your organisation's email domains at this provider, such as acme.example");
    }
    if (!IDENTIFIER_CLAIMS.has(personClaim)) return;
    throw against(
      "personClaim",
      `The claim ${personClaim} doesn't contain an email address: identify people by subject, or set the claim with their email`,
    );
  }
  if (!ssoIssuers.includes(issuer)) {
    throw against(
      "personBy",
      "People can be identified by subject only if the same issuer is the SSO: " +
        `${ssoIssuers.join(" and ") || "no SSO"} does, not ${issuer}. Identify people by email`,
    );
  }
  if (!SUBJECT_CLAIMS.has(personClaim)) {
    throw against(
      "personClaim",
      `Use the claim sub for a subject, or uid at Okta: people may be able to choose their ${personClaim}`,
    );
  }
  if (emailVouchedBy === "administrator") {
    throw against("emailVouchedBy", "If people are identified by subject, leave out who vouches for emails");
  }
}
