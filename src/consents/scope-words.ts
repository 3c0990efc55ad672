import { ENGLISH } from "#messages/english.ts";
import type { Locale } from "#messages/locale.ts";
import { opensAnything, parseScopes, type Scope } from "#protocol/scopes.ts";

/** A scope as the consent page shows it. */
export interface DescribedScope {
  readonly scope: Scope;
  readonly title: string;
  readonly detail: string;
  /** Whether the person may leave it out; the only scope that opens anything is what the page is about. */
  readonly isOptional: boolean;
}

/** The requested scopes in words, in the order asked. */
export function describeScopes(requested: readonly string[], messages: Locale["messages"] = ENGLISH): DescribedScope[] {
  const scopes = parseScopes(requested.join(" "));
  return scopes.map((scope) => ({
    scope,
    title: messages[`scope_${scope}`],
    detail: messages[`scope_${scope}_detail`],
    isOptional: opensAnything(scopes.filter((other) => other !== scope)),
  }));
}
