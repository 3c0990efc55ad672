import type { ContentCondition } from "#documents/engine.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { foldTerm } from "#protocol/folding.ts";

/** What the apps of an instance may search, by app. An app that is not listed may search everything that its person may see. */
export type AppContent = ReadonlyMap<string, readonly ContentCondition[]>;

/** The name that content is stored under for all tokens that administrators create for one person. */
export const PERSONAL_TOKENS = "personal-tokens";

/** Every search of the app resolves its conditions, and every policy snapshot contains them. */
const CONDITIONS_MAX = 10;
const VALUES_MAX = 50;
const CHARACTERS_MAX = 200;

export interface ContentConditionDraft {
  readonly field: string;
  readonly values: readonly string[];
  readonly isExcluded?: boolean | undefined;
}

/**
 * Validates what an administrator lets an app search, and returns it in its stored form, folded as filters are.
 *
 * @throws {AdministrationRefused} naming the member that is wrong
 */
export function requireContent(wanted: readonly ContentConditionDraft[]): ContentCondition[] {
  if (wanted.length > CONDITIONS_MAX) {
    throw new AdministrationRefused(`An app has at most ${CONDITIONS_MAX} conditions`, "content");
  }
  return wanted.map(({ field, values, isExcluded = false }) => {
    const name = foldTerm(field.trim());
    if (name === "" || name.length > CHARACTERS_MAX || /[:\n]/.test(name)) {
      throw new AdministrationRefused(
        "A field is datasource, type, or a metadata group and key in one word",
        "content",
      );
    }
    const folded = [...new Set(values.map((value) => foldTerm(value.trim())))].filter((value) => value !== "").sort();
    const isWrong = (value: string) => value.length > CHARACTERS_MAX || /["\n]/.test(value);
    if (folded.length === 0 || folded.length > VALUES_MAX || folded.some(isWrong)) {
      throw new AdministrationRefused(
        `Enter 1 to ${VALUES_MAX} values, each of up to ${CHARACTERS_MAX} characters, without quotation marks`,
        "content",
      );
    }
    return { field: name, values: folded, isExcluded };
  });
}

export function describeContent(content: readonly ContentCondition[]): string {
  if (content.length === 0) return "everything that the person may see";
  return content
    .map(({ field, values, isExcluded }) => `${isExcluded ? "nothing with" : "only"} ${field}: ${values.join(", ")}`)
    .join("; ");
}

/** Returns conditions in the form in which administrators write them, one per line. {@link readContentLines} reads them. */
export function contentLines(content: readonly ContentCondition[]): string {
  const quoted = (value: string) => (value.includes(",") ? `"${value}"` : value);
  return content
    .map(({ field, values, isExcluded }) => `${isExcluded ? "not " : ""}${field}: ${values.map(quoted).join(", ")}`)
    .join("\n");
}

/** Reads conditions that are written one per line. @throws {AdministrationRefused} naming the line that is wrong */
export function readContentLines(text: string): ContentConditionDraft[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [, not, field = "", values] = /^(not\s)?\s*([^:]+):(.+)$/i.exec(line) ?? [];
      if (values === undefined) {
        throw new AdministrationRefused(
          `Write a field, a colon and values: ${JSON.stringify(line)} has none`,
          "content",
        );
      }
      const each = values.match(/\s*"[^"]*"\s*|[^,]+/g) ?? [];
      return {
        field,
        values: each.map((value) => value.trim().replace(/^"(.*)"$/, "$1")),
        isExcluded: not !== undefined,
      };
    });
}
