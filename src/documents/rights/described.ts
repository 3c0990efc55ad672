import { count } from "#documents/counts.ts";
import type { Store } from "#documents/store.ts";
import {
  groupGeneration,
  membershipGeneration,
  putGroup,
  putMembership,
  putUser,
  userGeneration,
} from "./rights.sql.ts";
import type { DatasourceUser, Membership } from "./rights.ts";

/** A user, group or membership from a change, a page of an upload or a backup. */
export type Described =
  | { readonly kind: "users"; readonly user: DatasourceUser }
  | { readonly kind: "groups"; readonly name: string }
  | { readonly kind: "memberships"; readonly membership: Membership };

/** Returns the generation of what is stored; `undefined`: nothing is. */
export function generationOf(store: Store, datasource: string, described: Described): number | undefined {
  switch (described.kind) {
    case "users":
      return userGeneration(store, datasource, described.user.userId);
    case "groups":
      return groupGeneration(store, datasource, described.name);
    case "memberships":
    default:
      return membershipGeneration(store, datasource, described.membership);
  }
}

/** Writes it, and counts it if it is new. @param known what {@link generationOf} returns */
export function putDescribed(
  store: Store,
  datasource: string,
  described: Described,
  generation: number,
  known: number | undefined,
): void {
  if (known === undefined) count(store, datasource, described.kind, 1);
  switch (described.kind) {
    case "users":
      return putUser(store, datasource, described.user, generation);
    case "groups":
      return putGroup(store, datasource, described.name, generation);
    case "memberships":
    default:
      return putMembership(store, datasource, described.membership, generation);
  }
}
