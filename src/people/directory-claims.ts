import { foldGroupName } from "#protocol/folding.ts";

/** Beyond this a directory claim is a mistake, and would make every search of the person slow. */
const GROUPS_MAX = 500;

/**
 * The groups that a claim lists: an array of strings, or one string. Folded, as everything that they are compared with is.
 */
export function readGroups(claim: unknown): string[] {
  const list = typeof claim === "string" ? [claim] : Array.isArray(claim) ? (claim as unknown[]) : [];
  const groups = list.filter(
    (group): group is string => typeof group === "string" && group !== "" && group.length <= 200,
  );
  return [...new Set(groups.map(foldGroupName))].slice(0, GROUPS_MAX);
}

/** Whether claims have exactly the values that tell this organisation from others of the same issuer. */
export function haveRequired(
  claims: Readonly<Record<string, unknown>>,
  required: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(required).every(([claim, value]) => claims[claim] === value);
}
