import { linesOf } from "#admin-console/form-values.ts";
import type { FormState } from "#platform/described-members.ts";
import { EVERY_TARGET, parseIndexingScope } from "#protocol/indexing-scope.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { ServiceTokenKind } from "#service-tokens/service-token.ts";
import type { TokenDraft } from "#service-tokens/token-draft.ts";

/** What a token is for. The first step asks for it, because each purpose has different fields. */
export type TokenPurpose = "person" | "metadata" | "documents" | "admin" | "directory";

const DAY_SECONDS = 86_400;

const PURPOSES: readonly TokenPurpose[] = ["person", "metadata", "documents", "admin", "directory"];

const KINDS: Readonly<Record<TokenPurpose, ServiceTokenKind>> = {
  person: "client-api",
  metadata: "indexing",
  documents: "indexing",
  admin: "admin",
  directory: "scim",
};

/** Reads a purpose from the address or a form. @returns `undefined` if it is unknown */
export function parsePurpose(word: string | undefined): TokenPurpose | undefined {
  return PURPOSES.find((purpose) => purpose === word);
}

/**
 * Reads the draft of a token from a form.
 *
 * @throws {AdministrationRefused} for fields that can't be read. The rules for tokens are checked later, by the act
 */
export function readToken(form: Parameters, purpose: TokenPurpose): TokenDraft {
  return {
    kind: KINDS[purpose],
    name: form.one("name") ?? "",
    scopes: readScopes(form, purpose),
    person: purpose === "person" ? (form.one("person") ?? "") : null,
    lifetimeSeconds: readLifetime(form.one("lifetime"), purpose),
    networks: linesOf(form, "networks"),
  };
}

/**
 * Returns the form after it was refused. Messages about the lifetime or scopes are moved to the fields in which these are typed.
 */
export function refusedToken({ values, errors }: FormState, purpose: TokenPurpose): FormState {
  const fields: Readonly<Record<string, string>> = {
    lifetimeSeconds: "lifetime",
    ...(hasNamedScopes(purpose) ? {} : { scopes: "target" }),
  };
  return { values, errors: Object.fromEntries(Object.entries(errors).map(([at, text]) => [fields[at] ?? at, text])) };
}

/**
 * Checks whether a purpose's form has a checkbox for each scope. The other forms have a field for what the token writes.
 */
function hasNamedScopes(purpose: TokenPurpose): purpose is "person" | "admin" {
  return purpose === "person" || purpose === "admin";
}

function readScopes(form: Parameters, purpose: TokenPurpose): readonly string[] {
  if (hasNamedScopes(purpose)) return form.all("scopes");
  if (purpose === "directory") return [`directory:${form.one("target") ?? ""}`];
  const family = purpose === "metadata" ? "custommetadata" : "documents";
  if (form.one("reach") === "global") return [`${family}:global_scope`];
  const targets = linesOf(form, "target");
  // As a typed name, `global_scope` would allow everything, for which there is a separate option.
  const wrong = targets.find((target) => isEverything(target) || !parseIndexingScope(`${family}:${target}`));
  if (wrong !== undefined)
    throw new AdministrationRefused(`${wrong} is not a valid name for ${NOUNS[purpose]}`, "scopes");
  if (targets.length === 0 || (purpose === "metadata" && targets.length > 1)) {
    throw new AdministrationRefused(
      purpose === "metadata" ? "Enter one group" : "Enter at least one datasource",
      "scopes",
    );
  }
  return targets.map((target) => `${family}:${target}`);
}

const NOUNS = {
  metadata: "a group: use at most 50 letters, digits, hyphens, underscores and dots",
  documents: "a datasource: use at most 50 letters, digits, dashes and underscores",
};

function isEverything(target: string): boolean {
  return target.toLowerCase() === EVERY_TARGET;
}

function readLifetime(days: string | undefined, purpose: TokenPurpose): number | null {
  if (days === undefined && purpose === "person") return null;
  if (days !== undefined && /^[1-9][0-9]{0,3}$/.test(days)) return Number(days) * DAY_SECONDS;
  throw new AdministrationRefused("Write a number of days, such as 90", "lifetime");
}
