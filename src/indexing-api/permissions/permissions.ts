import { emailAddress, groupName } from "#indexing-api/vocabulary.ts";
import * as v from "valibot";

/** More than anybody can explain; each group of an intersection costs a look-up in every search of its members. */
const REQUIRED_GROUPS_MAX = 20;

const intersection = v.object({
  // Of no groups everybody is a member: a pipeline that sends none has made a mistake that must not share anything.
  requiredGroups: v.pipe(v.array(groupName), v.minLength(1), v.maxLength(REQUIRED_GROUPS_MAX)),
});

/** Who may see a document (wire contract). */
export const permissionsSchema = v.object({
  allowedUsers: v.optional(v.array(v.object({ email: emailAddress })), []),
  allowedGroups: v.optional(v.array(groupName), []),
  allowedGroupIntersections: v.optional(v.array(intersection), []),
  allowAnonymousAccess: v.optional(v.boolean(), false),
  allowAllDatasourceUsersAccess: v.optional(v.boolean(), false),
});

/** Someone whom permissions can name. An intersection's name is the JSON array of its groups' names, in order. */
export interface Principal {
  readonly kind: "everyone" | "datasource" | "person" | "group" | "intersection";
  readonly datasource: string;
  readonly name: string;
}

/**
 * Whom permissions name: each once, and always in one order, so that what is sent again unchanged is seen to be so. Beside
 * everyone nobody else counts. Nobody when there are no permissions.
 */
export function principalsOf(
  datasource: string,
  permissions: v.InferOutput<typeof permissionsSchema> | undefined,
): readonly Principal[] {
  if (!permissions) return [];
  if (permissions.allowAnonymousAccess) return [{ kind: "everyone", datasource: "", name: "" }];
  const people = distinct(permissions.allowedUsers.map((user) => user.email));
  const required = permissions.allowedGroupIntersections.map(({ requiredGroups }) => distinct(requiredGroups));
  // Whoever holds all of one group is whoever holds it.
  const single = required.filter((groups) => groups.length === 1).flat();
  const groups = distinct([...permissions.allowedGroups, ...single]);
  const intersections = distinct(required.filter((each) => each.length > 1).map((each) => JSON.stringify(each)));
  return [
    ...(permissions.allowAllDatasourceUsersAccess ? [{ kind: "datasource", datasource, name: "" } as const] : []),
    ...people.map((name) => ({ kind: "person", datasource: "", name }) as const),
    ...groups.map((name) => ({ kind: "group", datasource, name }) as const),
    ...intersections.map((name) => ({ kind: "intersection", datasource, name }) as const),
  ];
}

/** What a principal adds to a row beside its name: a word of the index, with an id of as many digits as there will be. */
const ACL_WORD_BYTES = 12;

/** What a document's row holds for its permissions. */
export function bytesOfPrincipals(principals: readonly Principal[]): number {
  return new TextEncoder().encode(JSON.stringify(principals)).length + principals.length * ACL_WORD_BYTES;
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
