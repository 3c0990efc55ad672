import { opensAnything, parseScopes, type Scope } from "#protocol/scopes.ts";

/** What a scope means to the person who is asked for it. */
const WORDS: Readonly<Record<Scope, { readonly title: string; readonly detail: string }>> = {
  SEARCH: { title: "Search for you", detail: "Find documents that you may see, and show their titles and excerpts" },
  CHAT: { title: "Chat for you", detail: "Ask the assistant questions, answered from documents that you may see" },
  DOCUMENTS: { title: "Read documents for you", detail: "Fetch the full text of documents that you may see" },
  offline_access: {
    title: "Stay connected",
    detail: "Keep access while you are away, until you, the app or your organisation ends it",
  },
  openid: { title: "Recognise you", detail: "Get an id for your account here, and use it to sign you in" },
  email: { title: "See your name and email address", detail: "Read your name and email address" },
};

/** A scope as the consent page shows it. */
export interface DescribedScope {
  readonly scope: Scope;
  readonly title: string;
  readonly detail: string;
  /** Whether the person may leave it out; the only scope that opens anything is what the page is about. */
  readonly isOptional: boolean;
}

/** The requested scopes in words, in the order asked. */
export function describeScopes(requested: readonly string[]): DescribedScope[] {
  const scopes = parseScopes(requested.join(" "));
  return scopes.map((scope) => ({
    scope,
    ...WORDS[scope],
    isOptional: opensAnything(scopes.filter((other) => other !== scope)),
  }));
}
