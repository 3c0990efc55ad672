import { isOfIssuer } from "./directory-claims.ts";

/** The groups that a directory gives a person, and the setting `provisionedGroups`. */
export interface Provisioned {
  readonly counting: "directory" | "sign-in" | "both";
  readonly groups: readonly string[];
}

/**
 * Merges the groups of a provisioned person. Groups that the SSO claimed are as old as the last sign-in, so by default the
 * directory's groups replace them. Groups of other identity providers have the provider in their names, and stay.
 */
export function mergeGroups(claimed: readonly string[], { counting, groups }: Provisioned): readonly string[] {
  if (counting === "sign-in") return claimed;
  const kept = counting === "both" ? claimed : claimed.filter(isOfIssuer);
  return [...new Set([...kept, ...groups])];
}
