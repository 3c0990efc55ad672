import { lineOf, linesOf } from "#admin-console/refused-form.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { FormState } from "#platform/form-state.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { IssuerDraft } from "#issuers/configuration-rules.ts";
import { draftFromPreset, type Preset, PRESETS } from "#issuers/presets.ts";

/** One thing that a preset asks for. */
export interface PresetField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly isRequired: boolean;
  /** Whether there may be several, one a line. */
  readonly isList: boolean;
}

/** The form's names and labels for what presets ask. */
const FIELDS: Readonly<Record<string, Pick<PresetField, "name" | "label" | "isList">>> = {
  domain: { name: "domain", label: "Domain", isList: false },
  tenant: { name: "tenant", label: "Tenant id", isList: false },
  server: { name: "server", label: "Authorization server", isList: false },
  realm: { name: "realm", label: "Realm", isList: false },
  namespace: { name: "namespace", label: "Namespace of the added claims", isList: false },
  "token-version": { name: "tokenVersion", label: "Version of the tokens", isList: false },
  audience: { name: "audiences", label: "Audience", isList: true },
  "client-id": { name: "clientIds", label: "Client ids", isList: true },
  "client-id-claim": { name: "clientIdClaim", label: "Claim that identifies the application", isList: false },
};

/** As commands say it, whose options are repeated. */
const ONE_APPLICATION = "the application whose tokens are accepted; can be repeated";

export function findPreset(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

/** What a preset asks for, the needed before the rest. */
export function fieldsOf({ needs, mayHave }: Preset): PresetField[] {
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
 * A configuration out of a preset's form. Where tokens do not say that an address is its holder's, somebody has to decide who
 * does: nothing is chosen beforehand.
 *
 * @throws {AdministrationRefused} with the field that lacks something
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

/** What was refused, beside a field that this preset's form has; the issuer is made out of the first thing that it asks for. */
export function onPresetForm(state: FormState, preset: Preset): FormState {
  const fields = fieldsOf(preset).map(({ name }) => name);
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
