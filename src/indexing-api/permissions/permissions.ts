import type { DocumentChange, Principal } from "#documents/engine.ts";
import { closed, emailAddress, unused } from "#platform/members.ts";
import { datasourceName, documentId, groupName, malformed, objectTypeName } from "#indexing-api/vocabulary.ts";
import * as v from "valibot";
import { covered, type RequestReader } from "#indexing-api/request.ts";
import { groupsIn } from "#indexing-api/unknown-groups.ts";

/**
 * The most groups of an intersection: more than anybody can explain. Each costs a lookup in every search of its members.
 */
const REQUIRED_GROUPS_MAX = 20;

/** The most principals that one document names: each becomes a row when it is first named. */
const PRINCIPALS_MAX = 20_000;

/** The most intersections that one document names: each is a row for every group in it. */
const INTERSECTIONS_MAX = 500;

const intersection = closed({
  // Everybody would be in an intersection of no groups: a pipeline that sends none made a mistake, which must not share anything.
  requiredGroups: v.pipe(v.array(groupName), v.minLength(1), v.maxLength(REQUIRED_GROUPS_MAX)),
});

/**
 * Who may see a document (wire contract). Unknown members are refused, because a typo would silently hide the document.
 */
export const permissionsSchema = closed({
  allowedUsers: v.optional(v.array(closed({ email: emailAddress, name: unused, datasourceUserId: unused })), []),
  allowedGroups: v.optional(v.array(groupName), []),
  allowedGroupIntersections: v.optional(v.array(intersection), []),
  allowAnonymousAccess: v.optional(v.boolean(), false),
  allowAllDatasourceUsersAccess: v.optional(v.boolean(), false),
});

/**
 * Returns the principals that permissions name, each once and always in the same order, so that unchanged permissions are
 * recognized. If everyone is allowed, nobody else is listed. Empty without permissions.
 *
 * @param at the path of the permissions in the request
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

export const update = closed({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName),
  id: documentId,
  viewURL: unused,
  permissions: permissionsSchema,
});

export const question = closed({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName),
  docId: documentId,
  userEmail: emailAddress,
});

/** Reads `updatepermissions`. */
export const readUpdate: RequestReader<DocumentChange & { readonly act: "permit" }> = (body, requireCoverage) => {
  const { request, warnings } = covered(update)(body, requireCoverage);
  const { datasource, id: externalId, permissions } = request;
  const principals = principalsOf(datasource, permissions);
  return {
    request: { act: "permit", datasource, externalId, principals },
    groups: groupsIn([{ datasource, principals }], () => "permissions"),
    warnings,
  };
};
