import { lineOf, linesOf, readForm } from "#admin-console/form-values.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Fields, FormField, FormState } from "#platform/described-members.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import { ISSUER_MEMBERS } from "#issuers/issuer-members.ts";
import {
  draftFromPreset,
  type Preset,
  type PresetInputs,
  type Provider,
  PROVIDERS,
  signInNeeds,
} from "#issuers/presets.ts";

/** The form's names and labels for the inputs of presets. */
const FIELDS: Readonly<Record<string, readonly [name: string, label: string, as?: "lines"]>> = {
  domain: ["domain", "Domain"],
  tenant: ["tenant", "Tenant id"],
  server: ["server", "Authorization server"],
  realm: ["realm", "Realm"],
  environment: ["environment", "Issuer of the environment"],
  namespace: ["namespace", "Namespace of the added claims"],
  "token-version": ["tokenVersion", "Version of the tokens"],
  audience: ["audiences", "Audience", "lines"],
  "client-id": ["clientIds", ISSUER_MEMBERS.clientIds.field.label, "lines"],
  "client-id-claim": ["clientIdClaim", ISSUER_MEMBERS.clientIdClaim.field.label],
};

/** The description for commands, in which an option can be repeated. In a form, there is one value per line instead. */
const ONE_APPLICATION = "the application whose tokens are accepted; can be repeated";

/** The value of `preset` for a provider without a preset. */
export const BY_HAND = "other";

export function findProvider(name: string | undefined): Provider | Preset | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}

/** Returns the fields for what a provider needs so that people sign in there. */
export function signInInputsOf(provider: Provider): Fields {
  return inputsOf({ needs: signInNeeds(provider), mayHave: {} });
}

/** Returns the fields of a preset's form, required ones first. */
export function inputsOf({ needs, mayHave }: Pick<Preset, "needs" | "mayHave">): Fields {
  const inputs = Object.entries({ ...needs, ...mayHave }).map(([option, what]): [string, FormField] => {
    const words = what.replace(ONE_APPLICATION, "the applications whose tokens are accepted, one per line");
    const isRequired = Object.hasOwn(needs, option);
    const hint = isRequired ? `${words.charAt(0).toUpperCase()}${words.slice(1)}.` : `Optional: ${words}.`;
    const [name, label, as = "line"] = FIELDS[option] ?? [option, option];
    if (as === "lines") return [name, { as, label, hint, rows: 2 }];
    return [name, { as, label, hint, ...(isRequired && { required: true }) }];
  });
  return Object.fromEntries(inputs);
}

export function readInputs(form: Parameters, inputs: Fields): PresetInputs {
  return { audiences: [], ...readForm(inputs, form, {}) };
}

/**
 * Reads a configuration from a preset's form. If the provider's tokens don't confirm that people own their email address, an
 * administrator must choose who does. There is no default.
 *
 * @throws {AdministrationRefused} with the field that is missing or wrong
 */
export function readPresetDraft(form: Parameters, preset: Preset): IssuerDraft {
  const clientIdClaim = lineOf(form, "clientIdClaim");
  const emailDomains = linesOf(form, "emailDomains");
  return draftFromPreset(preset.name, readInputs(form, inputsOf(preset)), {
    clientIds: linesOf(form, "clientIds"),
    scopes: form.all("scopes"),
    ...(emailDomains.length === 0 ? {} : { emailDomains }),
    ...(clientIdClaim === undefined ? {} : { clientIdClaim }),
    ...(preset.saysVerified ? {} : readVouching(form)),
  });
}

function readVouching(form: Parameters): IssuerDraft {
  const vouchedBy = lineOf(form, "emailVouchedBy");
  if (vouchedBy === undefined) {
    throw new AdministrationRefused("Choose who confirms email addresses", "emailVouchedBy");
  }
  if (vouchedBy !== "token") return { emailVouchedBy: vouchedBy };
  const emailVerifiedClaim = lineOf(form, "emailVerifiedClaim");
  if (emailVerifiedClaim === undefined) {
    throw new AdministrationRefused("Enter the claim that confirms the email", "emailVerifiedClaim");
  }
  return { emailVerifiedClaim };
}

/**
 * Moves error messages to fields that a provider's form has. A message about the issuer goes to the first input, from which the issuer
 * is derived.
 */
export function onPresetForm(state: FormState, inputs: Fields, others: readonly string[]): FormState {
  const fields = Object.keys(inputs);
  const place = (member: string) => {
    if (member === "issuer") return fields[0] ?? "";
    return [...fields, ...others].includes(member) ? member : "";
  };
  return {
    ...state,
    errors: Object.fromEntries(Object.entries(state.errors).map(([member, text]) => [place(member), text])),
  };
}
