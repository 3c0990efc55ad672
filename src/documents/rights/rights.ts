import type { Refused } from "#documents/refused.ts";

/**
 * A datasource's users, groups and memberships, as its pipeline describes them. Everything here writes a few rows and no documents:
 * documents name groups, and who is in these is read at each search.
 */
export interface DatasourceRights {
  /** Makes a change, or returns why it can't. The next search sees the change. */
  changeRights(instanceId: number, datasource: string, change: RightsChange): Promise<RightsOutcome>;
  /** Returns those of some groups that the datasource doesn't describe. */
  undescribedGroups(instanceId: number, datasource: string, names: readonly string[]): Promise<UndescribedGroups>;
}

export interface UndescribedGroups {
  readonly undescribed: readonly string[];
  /** Whether the datasource describes any group. */
  readonly describesAny: boolean;
}

export type RightsChange =
  | { readonly act: "describe"; readonly described: Described }
  | { readonly act: "remove user"; readonly userId: string }
  /** All users with this email. */
  | { readonly act: "remove users"; readonly email: string }
  /** Empties a group and takes it out of others. While documents name it, it isn't the directory's group either. */
  | { readonly act: "remove group"; readonly name: string }
  | { readonly act: "remove member"; readonly membership: Membership };

/** `more`: some of the users were removed, and repeating the change continues. Other requests may run in between. */
export type RightsOutcome = "done" | "more" | Refused;

/** A user, group or membership from a change, a page of an upload or a backup. */
export type Described =
  | { readonly kind: "users"; readonly user: DatasourceUser }
  | { readonly kind: "groups"; readonly name: string }
  | { readonly kind: "memberships"; readonly membership: Membership };

/** A user of a datasource. The datasource chooses the id, and the email says which person it is. */
export interface DatasourceUser {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly isActive: boolean;
}

export interface Membership {
  readonly groupName: string;
  readonly memberKind: "user" | "group";
  readonly member: string;
}

/** A group of a datasource. */
export interface NamedGroup {
  readonly datasource: string;
  readonly name: string;
}
