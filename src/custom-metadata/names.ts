import { ApiError } from "#protocol/errors.ts";
import { foldTerm } from "#protocol/folding.ts";
import * as v from "valibot";

/** The name of a group or key, by the wire contract: ASCII letters and digits, in any case. */
export const metadataName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9]{1,50}$/, "a name has 1 to 50 letters and digits, and nothing else"),
);

/** The name of a group in a path. */
export interface GroupName {
  /** As names are compared. */
  readonly folded: string;
  /** As it was written. */
  readonly display: string;
}

/** @throws {ApiError} `bad_request` for an invalid group name */
export function parseGroupName(text: string): GroupName {
  if (v.is(metadataName, text)) return { folded: foldTerm(text), display: text };
  throw new ApiError("bad_request", {
    reason: "indexing_request_malformed",
    description: "The name of a group has 1 to 50 letters and digits, and nothing else",
  });
}

/** Returns the first name that repeats an earlier one of the list, regardless of case. */
export function repeatedName(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(foldTerm(name)).size);
}

export function noSuchGroup(group: GroupName): ApiError {
  return new ApiError("not_found", {
    reason: "metadata_group_unknown",
    description: `There is no group ${group.display}: create it first with PUT /custom-metadata/schema/${group.display}`,
  });
}
