import { ApiError } from "#protocol/errors.ts";
import { foldTerm } from "#protocol/folding.ts";
import * as v from "valibot";

/** The wire contract's names of groups and keys: letters and digits of ASCII, in any case. */
export const metadataName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9]{1,50}$/, "a name has 1 to 50 letters and digits, and nothing else"),
);

/** A group as a path names it. */
export interface GroupName {
  /** As names compare. */
  readonly folded: string;
  /** As it was written. */
  readonly display: string;
}

/** @throws {ApiError} `bad_request` for an invalid group name */
export function parseGroupName(text: string): GroupName {
  if (v.is(metadataName, text)) return { folded: foldTerm(text), display: text };
  throw new ApiError("bad_request", {
    reason: "indexing_request_malformed",
    description: "a group name in the address must have 1 to 50 letters and digits, and nothing else",
  });
}

/** The first name that an earlier one of the list repeats, whatever its case. */
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
