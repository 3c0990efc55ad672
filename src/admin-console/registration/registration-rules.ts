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
  "registration" | "approvedRedirectUris" | "dynamicScopes" | "clientIdMetadataDocuments" | "appRequirements"
>;

/** What a change takes from apps that people already use. */
export interface Narrowing {
  /** The scopes that are taken away, in words; empty if none. */
  readonly scopes: string;
  /** Whether apps with a client metadata document can no longer sign people in. */
  readonly documents: boolean;
}

/** Reads the settings in the form that differ from the current ones. */
export function readChanges(form: Parameters, current: Settings): Record<string, unknown> {
  const wanted: Readonly<Record<keyof Rules, unknown>> = {
    registration: form.one("registration") ?? "",
    approvedRedirectUris: [...new Set([...form.all("presets"), ...linesOf(form, "approvedRedirectUris")])],
    dynamicScopes: parseScopes(form.all("dynamicScopes").join(" ")),
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
  return lost.length === 0 && !documents ? undefined : { scopes: scopesInWords(lost), documents };
}

/** Returns the form with the values of the settings. */
export function storedRules(settings: Settings): FormState {
  const { registration, approvedRedirectUris, dynamicScopes, clientIdMetadataDocuments, appRequirements } = settings;
  return {
    values: {
      registration,
      presets: approvedRedirectUris.filter((approval) => hostById(approval) !== undefined),
      approvedRedirectUris: approvedRedirectUris.filter((approval) => hostById(approval) === undefined),
      dynamicScopes,
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
