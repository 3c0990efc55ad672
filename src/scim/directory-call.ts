import type { PeopleActs } from "#administration/people-acts.ts";
import type { Directory } from "#directories/directory.ts";
import type { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import type { D1DirectoryUsers } from "#directories/directory-users.d1.ts";
import type { D1PeopleStandings } from "#people/person.d1.ts";
import { ApiError } from "#protocol/errors.ts";

/** An accepted call of a directory, with what it reads and writes. */
export interface DirectoryCall {
  readonly directory: Directory;
  readonly users: Pick<D1DirectoryUsers, keyof D1DirectoryUsers>;
  readonly groups: Pick<D1DirectoryGroups, keyof D1DirectoryGroups>;
  readonly people: Pick<D1PeopleStandings, "find">;
  /** Returns acts about people, limited to what a directory may decide. */
  readonly acts: () => Pick<PeopleActs, "deactivate" | "reactivate">;
  /** The caller's `If-Match`. */
  readonly ifMatch: string | undefined;
}

/** The error message for a request to deactivate an owner. */
export const OWNER_KEPT = "A directory can't deactivate an owner. Ask another owner to remove the role first.";

/** Returns the entity tag of a revision (RFC 7644 §3.14). */
export function tagOf({ revision }: { readonly revision: string }): string {
  return `W/"${revision}"`;
}

/**
 * Checks whether an `If-Match` or `If-None-Match` lists a tag. The comparison is weak, as all tags here are (RFC 9110 §8.8.3.2).
 */
export function lists(header: string, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return header.split(",").some((listed) => listed.trim() === "*" || opaque(listed) === opaque(tag));
}

/**
 * Checks an `If-Match`.
 *
 * @throws {ApiError} `precondition_failed` if the resource has changed since the caller read it
 */
export function requireMatch(ifMatch: string | undefined, stored: { readonly revision: string }): void {
  if (ifMatch !== undefined && !lists(ifMatch, tagOf(stored))) throw changedSinceRead();
}

export function changedSinceRead(): ApiError {
  return new ApiError("precondition_failed", { reason: "scim_revision_changed" });
}

/** Returns what was found. @throws {ApiError} `not_found` if there is nothing */
export async function requireFound<Found>(reading: Found | null | Promise<Found | null>, id: string): Promise<Found> {
  const found = await reading;
  if (found !== null) return found;
  const description = `The directory has no resource ${id.slice(0, 100)}`;
  throw new ApiError("not_found", { reason: "scim_resource_unknown", description });
}
