import type { ContentCondition } from "#documents/engine.ts";
import { type Locale, textOf } from "#messages/locale.ts";

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
