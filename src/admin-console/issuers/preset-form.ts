import { lineOf, linesOf } from "#admin-console/refused-form.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { FormState } from "#platform/form-state.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import { ISSUER_MEMBERS } from "#issuers/issuer-members.ts";
import { draftFromPreset, type Preset, PRESETS } from "#issuers/presets.ts";

export interface PresetField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly isRequired: boolean;
  /** Whether the field accepts several values, one per line. */
  readonly isList: boolean;
}

/** The form's names and labels for the inputs of presets. */
const FIELDS: Readonly<Record<string, Pick<PresetField, "name" | "label" | "isList">>> = {
  domain: { name: "domain", label: "Domain", isList: false },
  tenant: { name: "tenant", label: "Tenant id", isList: false },
  server: { name: "server", label: "Authorization server", isList: false },
  realm: { name: "realm", label: "Realm", isList: false },
  namespace: { name: "namespace", label: "Namespace of the added claims", isList: false },
  "token-version": { name: "tokenVersion", label: "Version of the tokens", isList: false },
  audience: { name: "audiences", label: "Audience", isList: true },
  "client-id": { name: "clientIds", label: ISSUER_MEMBERS.clientIds.field.label, isList: true },
  "client-id-claim": { name: "clientIdClaim", label: ISSUER_MEMBERS.clientIdClaim.field.label, isList: false },
};

/** The description for commands, in which an option can be repeated. In a form, there is one value per line instead. */
const ONE_APPLICATION = "the application whose tokens are accepted; can be repeated";

export function findPreset(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

/** Returns the fields of a preset's form, required ones first. */
export function inputsOf({ needs, mayHave }: Preset): PresetField[] {
  const toField = (isRequired: boolean) => (input: readonly [string, string]) => {
    const [option, what] = input;
    const words = what
      .replace(ONE_APPLICATION, "the applications whose tokens are accepted, one per line")
      .replace(/^./, (letter) => letter.toUpperCase());
    const known = FIELDS[option] ?? { name: option, label: option, isList: false };
    return { ...known, isRequired, hint: `${words}.` };
  };
  return [...Object.entries(needs).map(toField(true)), ...Object.entries(mayHave).map(toField(false))];
}

/**
 * Reads a configuration from a preset's form. If the provider's tokens don't confirm that people own their email address, an
 * administrator must choose who does. There is no default.
 *
 * @throws {AdministrationRefused} with the field that is missing or wrong
 */
export function readPresetDraft(form: Parameters, preset: Preset): IssuerDraft {
  const inputs = {
    domain: lineOf(form, "domain"),
    tenant: lineOf(form, "tenant"),
    server: lineOf(form, "server"),
    realm: lineOf(form, "realm"),
    namespace: lineOf(form, "namespace"),
    tokenVersion: lineOf(form, "tokenVersion"),
    audiences: linesOf(form, "audiences"),
  };
  const clientIdClaim = lineOf(form, "clientIdClaim");
  const emailDomains = linesOf(form, "emailDomains");
  return draftFromPreset(preset.name, inputs, {
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
 * Moves error messages to fields that this preset's form has. A message about the issuer goes to the first field, from which the
 * issuer is derived.
 */
export function onPresetForm(state: FormState, preset: Preset): FormState {
  const fields = inputsOf(preset).map(({ name }) => name);
  const others = ["scopes", "emailDomains", ...(preset.saysVerified ? [] : ["emailVouchedBy", "emailVerifiedClaim"])];
  const place = (member: string) => {
    if (member === "issuer") return fields[0] ?? "";
    return [...fields, ...others].includes(member) ? member : "";
  };
  return {
    ...state,
    errors: Object.fromEntries(Object.entries(state.errors).map(([member, text]) => [place(member), text])),
  };
}
