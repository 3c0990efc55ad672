import { linesOf, typed } from "#admin-console/refused-form.ts";
import { tickedRequirements } from "#admin-console/requirement-options.ts";
import { scopesInWords } from "#admin-console/scope-options.ts";
import { hostById } from "#clients/hosts.ts";
import type { Settings } from "#settings/settings.ts";
import type { FormState } from "#platform/form-state.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { parseScopes } from "#protocol/scopes.ts";

/** The settings in the form about registration. */
type Rules = Pick<
  Settings,
  | "registration"
  | "approvedRedirectUris"
  | "dynamicScopes"
  | "identityHosts"
  | "clientIdMetadataDocuments"
  | "appRequirements"
>;

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
export function readChanges(form: Parameters, current: Settings): Record<string, unknown> {
  const wanted: Readonly<Record<keyof Rules, unknown>> = {
    registration: form.one("registration") ?? "",
    approvedRedirectUris: [...new Set([...form.all("presets"), ...linesOf(form, "approvedRedirectUris")])],
    dynamicScopes: parseScopes(form.all("dynamicScopes").join(" ")),
    identityHosts: form.all("identityHosts"),
    clientIdMetadataDocuments: form.one("clientIdMetadataDocuments") === "on",
    appRequirements: tickedRequirements(form, "appRequirements"),
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isSame(value, current[name as keyof Rules])),
  );
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

/** Returns the form with the values of the settings. */
export function storedRules(settings: Settings): FormState {
  const { registration, approvedRedirectUris, dynamicScopes, identityHosts } = settings;
  const { clientIdMetadataDocuments, appRequirements } = settings;
  return {
    values: {
      registration,
      presets: approvedRedirectUris.filter((approval) => hostById(approval) !== undefined),
      approvedRedirectUris: approvedRedirectUris.filter((approval) => hostById(approval) === undefined),
      dynamicScopes,
      identityHosts,
      clientIdMetadataDocuments: clientIdMetadataDocuments ? "on" : "",
      appRequirements,
    },
    errors: {},
  };
}

/** Returns what was typed into the form's own fields. Other fields are not sent again. */
export function typedRules(form: Parameters, settings: Settings): FormState["values"] {
  const known = storedRules(settings).values;
  return Object.fromEntries(Object.entries(typed(form)).filter(([name]) => name in known));
}

/** Compares two settings. The order of lists doesn't matter. */
function isSame(one: unknown, other: unknown): boolean {
  const sorted = (value: unknown) => JSON.stringify(Array.isArray(value) ? [...value].map(String).sort() : value);
  return sorted(one) === sorted(other);
}
