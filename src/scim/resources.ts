import { isoTime } from "#platform/clock.ts";
import type { Named, Stored, StoredGroup, StoredUser } from "#directories/directory.ts";
import { ENTERPRISE_USER, GROUP_SCHEMA, USER_SCHEMA } from "#protocol/scim-filter.ts";
import { tagOf } from "./directory-call.ts";

export const SCIM_BASE = "/scim/v2";

export type ScimResource = Readonly<Record<string, unknown>>;

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

export function locationOf(issuer: string, type: "User" | "Group", id: string): string {
  return `${issuer}${SCIM_BASE}/${type}s/${id}`;
}

function metaOf(type: "User" | "Group", stored: Stored, issuer: string) {
  return {
    resourceType: type,
    created: isoTime(stored.createdAt),
    lastModified: isoTime(stored.changedAt),
    location: locationOf(issuer, type, stored.id),
    version: tagOf(stored),
  };
}
