import { ENGLISH } from "#messages/english.ts";
import type { Locale } from "#messages/locale.ts";
import { opensAnything, parseScopes, type Scope } from "#protocol/scopes.ts";

/** A scope in words, for pages that people see. */
export interface DescribedScope {
  readonly scope: Scope;
  readonly title: string;
  readonly detail: string;
  /**
   * Whether the person may clear it. They can't if the other scopes alone would give no access ({@link opensAnything}).
   */
  readonly isOptional: boolean;
}

/** Returns the requested scopes in words, in the requested order. */
export function describeScopes(requested: readonly string[], messages: Locale["messages"] = ENGLISH): DescribedScope[] {
  const scopes = parseScopes(requested.join(" "));
  return scopes.map((scope) => ({
    scope,
    title: messages[`scope_${scope}`],
    detail: messages[`scope_${scope}_detail`],
    isOptional: opensAnything(scopes.filter((other) => other !== scope)),
  }));
}
