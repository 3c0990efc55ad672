import type { Principal } from "#documents/engine.ts";
import { closed, unused } from "#platform/members.ts";
import { emailAddress } from "#platform/email-address.ts";
import { groupName, malformed } from "#indexing-api/vocabulary.ts";
import * as v from "valibot";

/** More than anybody can explain; each group of an intersection costs a look-up in every search of its members. */
const REQUIRED_GROUPS_MAX = 20;

/** Principals that one document names: each is a row when it is named for the first time. */
const PRINCIPALS_MAX = 20_000;

/** Intersections that one document names: each is a row for every group in it. */
const INTERSECTIONS_MAX = 500;

const intersection = closed({
  // Of no groups everybody is a member: a pipeline that sends none has made a mistake that must not share anything.
  requiredGroups: v.pipe(v.array(groupName), v.minLength(1), v.maxLength(REQUIRED_GROUPS_MAX)),
});

/** Who may see a document (wire contract). Unknown members are refused, because a typo would hide the document without a word. */
export const permissionsSchema = closed({
  allowedUsers: v.optional(v.array(closed({ email: emailAddress, name: unused, datasourceUserId: unused })), []),
  allowedGroups: v.optional(v.array(groupName), []),
  allowedGroupIntersections: v.optional(v.array(intersection), []),
  allowAnonymousAccess: v.optional(v.boolean(), false),
  allowAllDatasourceUsersAccess: v.optional(v.boolean(), false),
});

/**
 * The principals that permissions name, each once and always in the same order, so that unchanged permissions are recognized. If
 * everyone is allowed, nobody else is listed. Empty without permissions.
 *
 * @param at the member that the permissions are
 * @throws {ApiError} `bad_request` for more than a document may name
 */
export function principalsOf(
  datasource: string,
  permissions: v.InferOutput<typeof permissionsSchema> | undefined,
  at = "permissions",
): readonly Principal[] {
  if (!permissions) return [];
  if (permissions.allowAnonymousAccess) return [{ kind: "everyone", datasource: "", name: "" }];
  const people = distinct(permissions.allowedUsers.map((user) => user.email));
  const required = permissions.allowedGroupIntersections.map(({ requiredGroups }) => distinct(requiredGroups));
  // An intersection of one group is that group.
  const single = required.filter((groups) => groups.length === 1).flat();
  const groups = distinct([...permissions.allowedGroups, ...single]);
  const intersections = distinct(required.filter((each) => each.length > 1).map((each) => JSON.stringify(each)));
  if (intersections.length > INTERSECTIONS_MAX) {
    throw malformed(`${at}.allowedGroupIntersections is not acceptable: at most ${INTERSECTIONS_MAX} intersections`);
  }
  if (people.length + groups.length + intersections.length > PRINCIPALS_MAX) {
    throw malformed(`${at} is not acceptable: at most ${PRINCIPALS_MAX} users, groups and intersections; name groups`);
  }
  return [
    ...(permissions.allowAllDatasourceUsersAccess ? [{ kind: "datasource", datasource, name: "" } as const] : []),
    ...people.map((name) => ({ kind: "person", datasource: "", name }) as const),
    ...groups.map((name) => ({ kind: "group", datasource, name }) as const),
    ...intersections.map((name) => ({ kind: "intersection", datasource, name }) as const),
  ];
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
