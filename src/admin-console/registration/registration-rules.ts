import { changedOf, linesOf, readForm, storedForm, typed } from "#admin-console/form-values.ts";
import { REQUIREMENT_OPTIONS } from "#admin-console/requirement-options.ts";
import { SCOPE_OPTIONS, scopesInWords } from "#admin-console/scope-options.ts";
import { hostById } from "#clients/hosts.ts";
import type { Settings } from "#settings/settings.ts";
import { fieldsOf, type FormState, withOptions } from "#platform/described-members.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { SETTING_MEMBERS } from "#settings/setting-members.ts";
import { IDENTITY_HOST_OPTIONS } from "./preset-options.ts";

/** The fields of the form about registration. It has one more, `presets`: the hosts among the approved addresses. */
export const RULE_FIELDS = withOptions(
  fieldsOf(SETTING_MEMBERS, [
    "registration",
    "approvedRedirectUris",
    "dynamicScopes",
    "identityHosts",
    "clientIdMetadataDocuments",
    "appRequirements",
  ]),
  { dynamicScopes: SCOPE_OPTIONS, identityHosts: IDENTITY_HOST_OPTIONS, appRequirements: REQUIREMENT_OPTIONS },
);

/** What a change takes from apps that people already use. */
export interface Narrowing {
  /** The scopes that are taken away, in words; empty if none. */
  readonly scopes: string;
  /** The known apps that no longer learn who people are; empty if none. */
  readonly identityHosts: string;
  /** Which apps can no longer sign people in: none, those with a client metadata document, or all that no administrator approved. */
  readonly closed: "none" | "documents" | "all";
}

/** Reads the settings in the form that differ from the current ones. */
export function readChanges(form: Parameters, current: Settings): Readonly<Record<string, unknown>> {
  const read = readForm(RULE_FIELDS, form, current);
  const approved = [...form.all("presets"), ...linesOf(form, "approvedRedirectUris")];
  return changedOf({ ...read, approvedRedirectUris: [...new Set(approved)] }, current);
}

/** Returns what these changes take away; `undefined` if nothing. */
export function narrowingOf(current: Settings, next: Settings): Narrowing | undefined {
  const lost = current.dynamicScopes.filter((scope) => !next.dynamicScopes.includes(scope));
  const documents = current.clientIdMetadataDocuments && !next.clientIdMetadataDocuments;
  const all = current.registration !== "off" && next.registration === "off";
  const closed = all ? "all" : documents ? "documents" : "none";
  const hosts = current.identityHosts.filter((id) => !next.identityHosts.includes(id));
  if (lost.length === 0 && hosts.length === 0 && closed === "none") return undefined;
  const names = hosts.map((id) => hostById(id)?.name ?? id);
  return { scopes: scopesInWords(lost), identityHosts: names.join(", "), closed };
}

export function storedRules(settings: Settings): FormState {
  const { values, errors } = storedForm(RULE_FIELDS, settings);
  const isPreset = (approval: string) => hostById(approval) !== undefined;
  const presets = settings.approvedRedirectUris.filter(isPreset);
  const approvedRedirectUris = settings.approvedRedirectUris.filter((approval) => !isPreset(approval));
  return { values: { ...values, presets, approvedRedirectUris }, errors };
}

/** Returns what was typed into the form's own fields. Other fields are not sent again. */
export function typedRules(form: Parameters, settings: Settings): FormState["values"] {
  const known = storedRules(settings).values;
  return Object.fromEntries(Object.entries(typed(form)).filter(([name]) => name in known));
}
