import type { ActInstance } from "#administration/act-instance.ts";
import type { PeopleActs } from "#administration/people-acts.ts";
import type { Directory } from "#directories/directory.ts";
import { ApiError } from "#protocol/errors.ts";

/** A call of a directory, let in. */
export interface DirectoryCall {
  readonly directory: Directory;
  readonly instance: ActInstance;
  /** Limited to what a directory may decide. */
  readonly people: Pick<PeopleActs, "deactivate" | "reactivate">;
  /** The caller's `If-Match`. */
  readonly ifMatch: string | undefined;
}

/** Why an owner stays. */
export const OWNER_KEPT = "A directory can't deactivate an owner. Ask another owner to remove the role first.";

/** The entity tag of a revision (RFC 7644 §3.14). */
export function tagOf({ revision }: { readonly revision: string }): string {
  return `W/"${revision}"`;
}

/** Whether an `If-Match` or `If-None-Match` lists a tag. The comparison is weak, as all tags here are (RFC 9110 §8.8.3.2). */
export function lists(header: string, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return header.split(",").some((listed) => listed.trim() === "*" || opaque(listed) === opaque(tag));
}

/** @throws {ApiError} `precondition_failed` if the resource has changed since the caller read it */
export function requireMatch(ifMatch: string | undefined, stored: { readonly revision: string }): void {
  if (ifMatch !== undefined && !lists(ifMatch, tagOf(stored))) throw changedSinceRead();
}

export function changedSinceRead(): ApiError {
  return new ApiError("precondition_failed", { reason: "scim_revision_changed" });
}

/** @throws {ApiError} `not_found` where there is none */
export async function requireFound<Found>(reading: Found | null | Promise<Found | null>, id: string): Promise<Found> {
  const found = await reading;
  if (found !== null) return found;
  const description = `The directory has no resource ${id.slice(0, 100)}`;
  throw new ApiError("not_found", { reason: "scim_resource_unknown", description });
}
