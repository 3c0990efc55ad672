import { isOfIssuer } from "./directory-claims.ts";

/** What a directory says of a person, and what the setting `provisionedGroups` says of that. */
export interface Provisioned {
  readonly counting: "directory" | "sign-in" | "both";
  readonly groups: readonly string[];
}

/**
 * The groups of a person whom a directory provisions. Claims of the SSO are of the last sign-in, so unless the setting says otherwise
 * the directory's groups take their place at once. Groups of other identity providers are named for these, and stay.
 */
export function mergeGroups(claimed: readonly string[], { counting, groups }: Provisioned): readonly string[] {
  if (counting === "sign-in") return claimed;
  const kept = counting === "both" ? claimed : claimed.filter(isOfIssuer);
  return [...new Set([...kept, ...groups])];
}
