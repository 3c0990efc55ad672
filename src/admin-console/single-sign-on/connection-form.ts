import { claimsOf, linesOf, linesOfClaims } from "#admin-console/form-values.ts";
import { findProvider, onPresetForm, readInputs, signInInputsOf } from "#admin-console/issuers/preset-form.ts";
import { signInAt } from "#issuers/presets.ts";
import type { SingleSignOnConnection } from "#single-sign-on/connection.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import type { FormState } from "#platform/described-members.ts";
import type { Parameters } from "#protocol/parameters.ts";

/** The initial values of the form, if there is no connection yet. */
const USUAL = { scopes: "openid profile email", emailClaim: "email", groupsClaim: "groups", clientAuthentication: "" };

/**
 * Reads a connection from the form, or from the shorter one of a provider that decides the rest. An empty secret stands for the stored
 * one.
 *
 * @throws {AdministrationRefused} for malformed required claims, or about what the provider needs
 */
export function readConnection(form: Parameters): SingleSignOnConnection {
  const line = (name: string, otherwise = "") => form.one(name)?.trim() || otherwise;
  const secret = form.one("clientSecret");
  // `requireConnection` refuses other ways.
  const authentication = form.one("clientAuthentication");
  const provider = findProvider(form.one("preset"));
  return {
    issuer: line("issuer"),
    clientId: line("clientId"),
    scopes: line("scopes", USUAL.scopes).split(/\s+/).join(" "),
    emailClaim: line("emailClaim", USUAL.emailClaim),
    groupsClaim: line("groupsClaim", USUAL.groupsClaim),
    requiredClaims: claimsOf(form, "requiredClaims"),
    ...(form.one("emailVouchedBy") === "on" ? { emailVouchedBy: "administrator" as const } : {}),
    ...(authentication && { clientAuthentication: authentication as SingleSignOn["clientAuthentication"] }),
    ...(secret === undefined ? {} : { clientSecret: secret }),
    ...readDistinction(form),
    ...(provider && signInAt(provider, readInputs(form, signInInputsOf(provider)))),
  };
}

/** Returns the form of the provider with this name, if it has one of its own, with messages at the fields of that form. */
export function providerForm(name: string | undefined, state: FormState) {
  const provider = findProvider(name);
  if (!provider) return { provider, state };
  const inputs = signInInputsOf(provider);
  return {
    provider: { ...provider, inputs },
    state: onPresetForm(state, inputs, ["clientId", "clientSecret", "label", "emailVouchedBy", "emailDomains"]),
  };
}

/** Reads what tells several SSOs apart. The form of the only one asks just for its domains. */
function readDistinction(form: Parameters): Partial<SingleSignOnConnection> {
  const emailDomains = linesOf(form, "emailDomains");
  const label = form.one("label")?.trim();
  return {
    ...(emailDomains.length > 0 && { emailDomains }),
    ...(label && { label }),
    ...(form.one("several") === "on" && { groupsMeetDirectory: form.one("groupsMeetDirectory") === "on" }),
  };
}

/** Returns the form with the values of the stored connection, except its secret. */
export function storedConnection(stored: SingleSignOn | undefined): FormState {
  if (!stored) return { values: USUAL, errors: {} };
  const { sealedClientSecret: _sealed, number: _number, label = "", clientAuthentication = "", ...others } = stored;
  const { emailVouchedBy, emailDomains = [], groupsMeetDirectory = true, requiredClaims } = stored;
  return {
    values: {
      ...others,
      label,
      clientAuthentication,
      emailDomains,
      emailVouchedBy: emailVouchedBy === "administrator" ? "on" : "",
      groupsMeetDirectory: groupsMeetDirectory ? "on" : "",
      requiredClaims: linesOfClaims(requiredClaims),
    },
    errors: {},
  };
}
