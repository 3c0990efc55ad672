import type { Named, Stored, StoredGroup, StoredUser } from "#directories/directory.ts";
import { attributeOf, ENTERPRISE_USER } from "#protocol/scim-filter.ts";
import { tagOf } from "./directory-call.ts";

export const SCIM_BASE = "/scim/v2";
export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";

export type ScimResource = Readonly<Record<string, unknown>>;

/** Converts a user to the form in responses. */
export function toUserAnswer(user: StoredUser, issuer: string): ScimResource {
  const { [ENTERPRISE_USER]: extension, ...attributes } = user.attributes;
  const isExtended = extension !== undefined && Object.keys(extension as object).length > 0;
  return {
    schemas: isExtended ? [USER_SCHEMA, ENTERPRISE_USER] : [USER_SCHEMA],
    id: user.id,
    ...attributes,
    ...(isExtended ? { [ENTERPRISE_USER]: extension } : {}),
    active: user.isActive,
    ...(user.groups === null
      ? {}
      : {
          groups: user.groups.map(({ id, display }) => ({ value: id, display, $ref: locationOf(issuer, "Group", id) })),
        }),
    meta: metaOf("User", user, issuer),
  };
}

/** Converts a group to the form in responses. @param members `null`: left out */
export function toGroupAnswer(group: StoredGroup, members: readonly Named[] | null, issuer: string): ScimResource {
  return {
    schemas: [GROUP_SCHEMA],
    id: group.id,
    ...(group.externalId === null ? {} : { externalId: group.externalId }),
    displayName: group.displayName,
    ...(members === null
      ? {}
      : {
          members: members.map(({ id, display }) => ({ value: id, display, $ref: locationOf(issuer, "User", id) })),
        }),
    meta: metaOf("Group", group, issuer),
  };
}

/**
 * Selects the requested attributes of a resource, or all but the excluded ones (RFC 7644 §3.4.2.5). `id` and `schemas` are always
 * included.
 */
export function onlyAsked(
  resource: ScimResource,
  asked: string | undefined,
  excluded: string | undefined,
): ScimResource {
  const list = asked ?? excluded;
  if (list === undefined) return resource;
  const named = new Set(list.split(",").map(topOf));
  const isWanted = (name: string) => named.has(name.toLowerCase()) === (asked !== undefined);
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => name === "id" || name === "schemas" || isWanted(name)),
  );
}

/** Returns the top-level attribute of a path, in lower case. */
function topOf(path: string): string {
  const name = path.trim().toLowerCase();
  const extension = ENTERPRISE_USER.toLowerCase();
  return name.startsWith(extension) ? extension : (attributeOf(name).split(".")[0] ?? "");
}

export function locationOf(issuer: string, type: "User" | "Group", id: string): string {
  return `${issuer}${SCIM_BASE}/${type}s/${id}`;
}

function metaOf(type: "User" | "Group", stored: Stored, issuer: string) {
  return {
    resourceType: type,
    created: new Date(stored.createdAt * 1000).toISOString(),
    lastModified: new Date(stored.changedAt * 1000).toISOString(),
    location: locationOf(issuer, type, stored.id),
    version: tagOf(stored),
  };
}
