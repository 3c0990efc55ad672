/**
 * A datasource's users, groups and memberships, as its pipeline describes them. Everything here writes a few rows, never a
 * document: documents name groups, and who is in them is read when somebody asks.
 */
export interface DatasourceRights {
  /** Makes a change, or says why not; it is seen by the next search. */
  changeRights(instanceId: number, datasource: string, change: RightsChange): Promise<RightsOutcome>;
}

export type RightsChange =
  | { readonly act: "describe user"; readonly user: DatasourceUser }
  | { readonly act: "remove user"; readonly userId: string }
  /** All users with this email. */
  | { readonly act: "remove users"; readonly email: string }
  | { readonly act: "describe group"; readonly name: string }
  /** Empties a group, takes it out of others, and leaves its name to nobody. */
  | { readonly act: "remove group"; readonly name: string }
  | { readonly act: "add member"; readonly membership: Membership }
  | { readonly act: "remove member"; readonly membership: Membership };

/** `leaving`: the group, or the member, was deleted, and its memberships are not all gone. */
export type RightsOutcome = "done" | "no group" | "full" | "leaving";

/** Which id a user has is the datasource's to say; who they are here is their email. */
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
