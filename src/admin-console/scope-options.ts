import type { AdminScope } from "#protocol/admin-scopes.ts";
import { API_SCOPES, type Scope } from "#protocol/scopes.ts";

/** Scopes in words, for administrators. The consent page has its own words for people. */
const WORDS: Readonly<Record<Scope, { readonly label: string; readonly hint: string }>> = {
  SEARCH: { label: "Search", hint: "Find documents that the person may see, and show titles and excerpts." },
  CHAT: { label: "Chat", hint: "Ask the assistant, which answers from documents that the person may see." },
  DOCUMENTS: { label: "Read documents", hint: "Fetch the full text of documents that the person may see." },
  openid: { label: "Identify the person", hint: "Get an id for the person’s account, and use it to sign them in." },
  email: { label: "Name and email", hint: "Read the person’s name and email address." },
  offline_access: { label: "Stay connected", hint: "Keep access while the person is away, until it is revoked." },
};

export const SCOPE_OPTIONS = Object.entries(WORDS).map(([value, words]) => ({ value, ...words }));

/** Only the scopes of the APIs, for identity providers' tokens, which give no profile and no refresh token. */
export const API_SCOPE_OPTIONS = SCOPE_OPTIONS.filter(({ value }) => API_SCOPES.some((scope) => scope === value));

/** The same for service accounts, which are no people. */
export const SERVICE_ACCOUNT_SCOPE_OPTIONS = API_SCOPE_OPTIONS.map(({ hint, ...option }) => ({
  ...option,
  hint: hint.replace("the person may see", "it may see"),
}));

export function scopesInWords(scopes: readonly Scope[]): string {
  return scopes.map((scope) => WORDS[scope].label).join(", ");
}

/** The Admin API's scopes in words. */
const ADMIN_WORDS: Readonly<Record<AdminScope, { readonly label: string; readonly hint: string }>> = {
  "admin:read": { label: "Read everything", hint: "All lists and settings, but no secrets or documents." },
  "admin:apps": {
    label: "Manage apps",
    hint: "Create, change, approve, disable and delete apps; end a person’s access to one.",
  },
  "admin:people": { label: "Manage people", hint: "Deactivate, reactivate and release people." },
  "admin:content": { label: "Manage content", hint: "Groups of custom metadata, and the glossary of search." },
  "admin:security": {
    label: "Manage security",
    hint: "Settings, single sign-on, identity providers, keys, tokens and roles. This scope gives full control.",
  },
};

export const ADMIN_SCOPE_OPTIONS = Object.entries(ADMIN_WORDS).map(([value, words]) => ({ value, ...words }));
