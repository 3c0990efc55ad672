import { ApiError } from "#protocol/errors.ts";
import { foldTerm } from "#protocol/folding.ts";
import { EVERY_TARGET } from "#protocol/indexing-scope.ts";
import { METADATA_NAME, METADATA_NAME_RULE } from "#protocol/metadata-name.ts";
import * as v from "valibot";

/** The name of a group or key, in any case. */
export const metadataName = v.pipe(v.string(), v.regex(METADATA_NAME, `a name has ${METADATA_NAME_RULE}`));

/** The name of a group in a path. */
export interface GroupName {
  /** As names are compared. */
  readonly folded: string;
  /** As it was written. */
  readonly display: string;
}

/** @throws {ApiError} `bad_request` for an invalid group name */
export function parseGroupName(text: string): GroupName {
  const folded = foldTerm(text);
  // A token of this group could not be told from one of all groups.
  const isEvery = folded === EVERY_TARGET;
  if (v.is(metadataName, text) && !isEvery) return { folded, display: text };
  throw new ApiError("bad_request", {
    reason: "indexing_request_malformed",
    description: isEvery
      ? `${EVERY_TARGET} means all groups in a token's scope: choose another name`
      : `The name of a group has ${METADATA_NAME_RULE}`,
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
