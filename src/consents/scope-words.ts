import { ENGLISH } from "#messages/english.ts";
import { type Locale, textOf } from "#messages/locale.ts";
import { opensAnything, parseScopes, type Scope } from "#protocol/scopes.ts";
import type { ContentCondition } from "#documents/engine.ts";

/** A scope in words, for pages that people see. */
interface DescribedScope {
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

/** Describes what an app may search to the person who uses it; `undefined`: everything that they may see. */
export function contentInWords(
  locale: Locale,
  organisation: string,
  content: readonly ContentCondition[],
): string | undefined {
  if (content.length === 0) return undefined;
  const conditions = content.map(({ field, values, isExcluded }) =>
    textOf(locale, isExcluded ? "content_except" : "content_only", { field, values: values.join(", ") }),
  );
  return textOf(locale, "content_limited", { organisation, conditions: conditions.join("; ") });
}
