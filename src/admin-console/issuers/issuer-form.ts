import { claimsOf, linesOfClaims } from "#admin-console/claim-lines.ts";
import { lineOf, linesOf } from "#admin-console/refused-form.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { FormState } from "#platform/form-state.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { IssuerDraft } from "#issuers/configuration-rules.ts";

/** The initial values of a new issuer's form. Only the token itself vouches for an email. */
export const EMPTY_ISSUER: FormState = {
  values: {
    accepts: "access-tokens",
    algorithms: "RS256",
    personBy: "email",
    personClaim: "email",
    emailVouchedBy: "token",
    emailVerifiedClaim: "email_verified",
    scopes: "SEARCH",
  },
  errors: {},
};

/** Reads a configuration from the form. An empty field gets its default. */
export function readIssuer(form: Parameters): IssuerDraft {
  const issuer = lineOf(form, "issuer");
  return {
    ...readChanges(form),
    issuer: issuer ?? "",
    name: lineOf(form, "name") ?? (issuer !== undefined && URL.canParse(issuer) ? new URL(issuer).hostname : ""),
  };
}

/** Reads the same without the issuer, which can't be changed, because a different issuer is a different provider. */
export function readChanges(form: Parameters): Omit<IssuerDraft, "issuer"> {
  return {
    name: lineOf(form, "name") ?? "",
    accepts: lineOf(form, "accepts"),
    clientIds: linesOf(form, "clientIds"),
    clientIdClaim: lineOf(form, "clientIdClaim"),
    audiences: linesOf(form, "audiences"),
    algorithms: form.all("algorithms"),
    personBy: lineOf(form, "personBy"),
    personClaim: lineOf(form, "personClaim"),
    emailDomains: linesOf(form, "emailDomains"),
    accountClaim: lineOf(form, "accountClaim"),
    emailVouchedBy: lineOf(form, "emailVouchedBy"),
    emailVerifiedClaim: lineOf(form, "emailVerifiedClaim"),
    groupsClaim: lineOf(form, "groupsClaim"),
    groupsMeetDirectory: form.one("groupsMeetDirectory") === "on",
    requiredClaims: claimsOf(form, "requiredClaims"),
    scopes: form.all("scopes"),
    scopesRequired: form.one("scopesRequired") === "on",
    jwksUri: lineOf(form, "jwksUri"),
  };
}

/** Returns the form with the values of a registered issuer. */
export function storedIssuer(configuration: ExternalIssuer): FormState {
  const { requiredClaims, groupsMeetDirectory, scopesRequired, tokenLifetimeSecondsMax: _, ...others } = configuration;
  const values = {
    ...others,
    groupsMeetDirectory: groupsMeetDirectory ? "on" : "",
    scopesRequired: scopesRequired ? "on" : "",
    requiredClaims: linesOfClaims(requiredClaims),
  };
  return { values: values as FormState["values"], errors: {} };
}
