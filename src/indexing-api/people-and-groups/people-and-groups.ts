import {
  type DatasourceCoverage,
  datasourceName,
  emailAddress,
  groupName,
  parseCovered,
  personName,
  type RequestBody,
  userId,
} from "#indexing-api/vocabulary.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";

export const userDescription = v.object({
  datasource: datasourceName,
  user: v.object({
    email: emailAddress,
    userId: v.optional(userId),
    name: v.optional(personName, ""),
    isActive: v.optional(v.boolean(), true),
  }),
});

export const userDeletion = v.pipe(
  v.object({ datasource: datasourceName, email: v.optional(emailAddress), userId: v.optional(userId) }),
  v.check((user) => (user.email === undefined) !== (user.userId === undefined), "either userId or email"),
);

export const groupDescription = v.object({
  datasource: datasourceName,
  // Both spellings are in use.
  group: v.union([v.object({ name: groupName }), v.object({ groupName })], "an object with a name"),
});

export const groupDeletion = v.object({ datasource: datasourceName, groupName });

export const membershipDescription = v.object({
  datasource: datasourceName,
  membership: v.pipe(
    v.object({ groupName, memberUserId: v.optional(userId), memberGroupName: v.optional(groupName) }),
    v.check(
      (member) => (member.memberUserId === undefined) !== (member.memberGroupName === undefined),
      "either memberUserId or memberGroupName",
    ),
  ),
});

/** A user of a datasource. Which id a user has is the datasource's to say; who they are here is their email. */
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

/** A datasource of an instance. */
export interface Datasource {
  readonly instanceId: number;
  readonly datasource: string;
}

/** Everything here writes a few rows, never a document: documents name groups, and who is in them is read when somebody asks. */
export interface DirectoryStore {
  describeUser(datasource: Datasource, user: DatasourceUser): Promise<void>;
  /** Forgets users and their memberships. */
  removeUser(datasource: Datasource, user: { readonly userId: string } | { readonly email: string }): Promise<void>;
  describeGroup(datasource: Datasource, name: string): Promise<void>;
  /** Empties a group, takes it out of others, and leaves its name to nobody. */
  removeGroup(datasource: Datasource, name: string): Promise<void>;
  /** @returns whether the group is described */
  addMember(datasource: Datasource, membership: Membership): Promise<boolean>;
  removeMember(datasource: Datasource, membership: Membership): Promise<void>;
}

/** Takes a datasource's users, groups and memberships from its pipeline. */
export class PeopleAndGroups {
  readonly #store: DirectoryStore;

  constructor(store: DirectoryStore) {
    this.#store = store;
  }

  /** `indexuser`. Without a `userId` the email is the id. Every call here throws `bad_request`, and 401 before it. */
  async indexUser(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    const { datasource, user } = parseCovered(userDescription, body, requireCoverage);
    await this.#store.describeUser({ instanceId, datasource }, { ...user, userId: user.userId ?? user.email });
  }

  /** `deleteuser`, by id, or by email: then all that have it. */
  async deleteUser(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    const { datasource, userId: id, email } = parseCovered(userDeletion, body, requireCoverage);
    await this.#store.removeUser(
      { instanceId, datasource },
      id === undefined ? { email: email ?? "" } : { userId: id },
    );
  }

  /** `indexgroup`: from now on the group has the members that the pipeline names, and not the directory's. */
  async indexGroup(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    const { datasource, group } = parseCovered(groupDescription, body, requireCoverage);
    await this.#store.describeGroup({ instanceId, datasource }, "name" in group ? group.name : group.groupName);
  }

  /** `deletegroup`: nobody is in it from now on. */
  async deleteGroup(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    const { datasource, groupName: name } = parseCovered(groupDeletion, body, requireCoverage);
    await this.#store.removeGroup({ instanceId, datasource }, name);
  }

  /**
   * `indexmembership`. A member group need not be described: it is the directory's then. The group itself must be, for its first
   * member would otherwise shut the directory's out, silently.
   *
   * @throws {ApiError} `not_found` for a group that is not described
   */
  async indexMembership(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    const { datasource, membership } = parseCovered(membershipDescription, body, requireCoverage);
    if (await this.#store.addMember({ instanceId, datasource }, toMembership(membership))) return;
    throw new ApiError("not_found", {
      reason: "group_unknown",
      description: `${datasource} has no group ${JSON.stringify(membership.groupName)}: call indexgroup first`,
    });
  }

  /** `deletemembership`. A membership that is not there is as good as deleted. */
  async deleteMembership(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    const { datasource, membership } = parseCovered(membershipDescription, body, requireCoverage);
    await this.#store.removeMember({ instanceId, datasource }, toMembership(membership));
  }
}

type DescribedMembership = v.InferOutput<typeof membershipDescription>["membership"];

function toMembership({ groupName: group, memberUserId, memberGroupName = "" }: DescribedMembership): Membership {
  return memberUserId === undefined
    ? { groupName: group, memberKind: "group", member: memberGroupName }
    : { groupName: group, memberKind: "user", member: memberUserId };
}
