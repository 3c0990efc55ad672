import { closed, emailAddress, unused } from "#platform/members.ts";
import type { RequestReader } from "#indexing-api/request.ts";
import { datasourceName, groupName, parseRequest, personName, userId } from "#indexing-api/vocabulary.ts";
import * as v from "valibot";

/** A user as a datasource describes them. Without a `userId` the email is the id. */
export const describedUser = v.pipe(
  closed({
    email: emailAddress,
    userId: v.optional(userId),
    name: v.optional(personName, ""),
    isActive: v.optional(v.boolean(), true),
  }),
  v.transform((user) => ({ ...user, userId: user.userId ?? user.email })),
);

/** A group. Clients use both spellings of the member with its name. */
export const describedGroup = v.pipe(
  closed({ name: v.optional(groupName), groupName: v.optional(groupName) }),
  v.check((group) => (group.name === undefined) !== (group.groupName === undefined), "expected an object with a name"),
  v.transform((group) => group.name ?? group.groupName ?? ""),
);

const memberEntries = { memberUserId: v.optional(userId), memberGroupName: v.optional(groupName) };

/** A request for one datasource, or for all that the token covers. */
export const processing = closed({ datasource: v.optional(datasourceName) });

/** Reads `processallmemberships`. */
export const readProcessing: RequestReader<object> = (body, requireCoverage) => {
  const { datasource } = parseRequest(v.object({ datasource: v.optional(datasourceName) }), body);
  if (datasource !== undefined) requireCoverage(datasource);
  return { request: parseRequest(processing, body), warnings: [] };
};

interface NamedMember {
  readonly memberUserId?: string | undefined;
  readonly memberGroupName?: string | undefined;
}

const ONE_MEMBER = "either memberUserId or memberGroupName";

function isOneMember({ memberUserId, memberGroupName }: NamedMember): boolean {
  return (memberUserId === undefined) !== (memberGroupName === undefined);
}

/** A member of a group that the request names elsewhere. */
export const describedMember = v.pipe(closed(memberEntries), v.check(isOneMember, ONE_MEMBER), v.transform(toMember));

const describedMembership = v.pipe(
  closed({ groupName, ...memberEntries }),
  v.check((membership) => isOneMember(membership), ONE_MEMBER),
  v.transform((membership) => ({ groupName: membership.groupName, ...toMember(membership) })),
);

export const userDescription = closed({ datasource: datasourceName, user: describedUser, version: unused });

export const userDeletion = v.pipe(
  closed({
    datasource: datasourceName,
    email: v.optional(emailAddress),
    userId: v.optional(userId),
    version: unused,
  }),
  v.check((user) => (user.email === undefined) !== (user.userId === undefined), "either userId or email"),
);

export const groupDescription = closed({ datasource: datasourceName, group: describedGroup, version: unused });

export const groupDeletion = closed({ datasource: datasourceName, groupName, version: unused });

export const membershipDescription = closed({
  datasource: datasourceName,
  membership: describedMembership,
  version: unused,
});

function toMember({ memberUserId, memberGroupName = "" }: NamedMember) {
  return memberUserId === undefined
    ? ({ memberKind: "group", member: memberGroupName } as const)
    : ({ memberKind: "user", member: memberUserId } as const);
}
