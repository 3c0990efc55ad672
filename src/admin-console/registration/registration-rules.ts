import { linesOf, typed } from "#admin-console/refused-form.ts";
import { tickedRequirements } from "#admin-console/requirement-options.ts";
import { scopesInWords } from "#admin-console/scope-options.ts";
import { hostById } from "#clients/hosts.ts";
import type { Settings } from "#settings/settings.ts";
import type { FormState } from "#platform/form-state.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { parseScopes } from "#protocol/scopes.ts";

/** The settings of who may register, which one form holds. */
type Rules = Pick<
  Settings,
  "registration" | "approvedRedirectUris" | "dynamicScopes" | "clientIdMetadataDocuments" | "appRequirements"
>;

/** What is taken from apps that people use already. */
export interface Narrowing {
  /** The scopes that are taken away, in words; empty where none is. */
  readonly scopes: string;
  /** Whether apps that are described by a document can sign nobody in any more. */
  readonly documents: boolean;
}

/** What the form asks for, as far as it differs from what holds. */
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

/** What these changes take away; `undefined` when nothing. */
export function narrowingOf(current: Settings, next: Settings): Narrowing | undefined {
  const lost = current.dynamicScopes.filter((scope) => !next.dynamicScopes.includes(scope));
  const documents = current.clientIdMetadataDocuments && !next.clientIdMetadataDocuments;
  return lost.length === 0 && !documents ? undefined : { scopes: scopesInWords(lost), documents };
}

/** The form as the settings fill it in. */
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

/** What was typed into the form; other fields are not sent again. */
export function typedRules(form: Parameters, settings: Settings): FormState["values"] {
  const known = storedRules(settings).values;
  return Object.fromEntries(Object.entries(typed(form)).filter(([name]) => name in known));
}

/** Lists are the same whatever their order. */
function isSame(one: unknown, other: unknown): boolean {
  const sorted = (value: unknown) => JSON.stringify(Array.isArray(value) ? [...value].map(String).sort() : value);
  return sorted(one) === sorted(other);
}
