import { readForm, storedForm } from "#admin-console/form-values.ts";
import { API_SCOPE_OPTIONS } from "#admin-console/scope-options.ts";
import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import { externalIssuerSchema } from "#issuers/external-issuer.ts";
import { ISSUER_MEMBERS } from "#issuers/issuer-members.ts";
import { fieldsOf, withOptions } from "#platform/described-members.ts";
import type { Parameters } from "#protocol/parameters.ts";
import * as v from "valibot";

/** Only of a new provider: a different issuer is a different provider. */
export const NEW_FIELDS = fieldsOf(ISSUER_MEMBERS, ["issuer"]);

/** The fields of every form about a provider, in their order. */
export const ISSUER_FIELDS = withOptions(
  fieldsOf(ISSUER_MEMBERS, [
    "name",
    "accepts",
    "clientIds",
    "clientIdClaim",
    "audiences",
    "scopes",
    "scopesRequired",
    "headerOptionalAtMcp",
    "personBy",
    "personClaim",
    "emailDomains",
    "accountClaim",
    "emailVouchedBy",
    "emailVerifiedClaim",
    "groupsClaim",
    "groupsMeetDirectory",
    "requiredClaims",
    "algorithms",
    "jwksUri",
  ]),
  { scopes: API_SCOPE_OPTIONS },
);

/** The initial values of a new issuer's form: the defaults. */
export const EMPTY_ISSUER = storedForm(ISSUER_FIELDS, { ...v.getDefaults(externalIssuerSchema), scopes: ["SEARCH"] });

/** Reads a configuration from the form. An empty field gets its default. */
export function readIssuer(form: Parameters): IssuerDraft {
  const draft = { ...readForm(NEW_FIELDS, form, {}), ...readForm(ISSUER_FIELDS, form, {}) };
  const { issuer = "" } = draft as { readonly issuer?: string };
  return { ...draft, issuer, name: draft.name ?? (URL.canParse(issuer) ? new URL(issuer).hostname : "") };
}
