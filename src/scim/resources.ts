import { isoTime } from "#platform/clock.ts";
import type { Named, PartAsked, Stored, StoredGroup, StoredUser } from "#directories/directory.ts";
import { ENTERPRISE_USER, GROUP_SCHEMA, parseScimFilter, USER_SCHEMA } from "#protocol/scim-filter.ts";
import { tagOf } from "./directory-call.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { ScimError } from "#protocol/errors.ts";

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

/** The default and the maximum number of resources in a response. */
const COUNT_USUAL = 100;
export const COUNT_MAX = 200;

/** Reads the query of a list (RFC 7644 §3.4.2). @throws {ScimError} `invalidFilter`, `invalidValue` */
export function readPartAsked(query: Parameters): PartAsked {
  const [filter] = query.all("filter");
  return {
    filter: filter === undefined ? null : readFilter(filter),
    startIndex: Math.max(1, readNumber(query, "startIndex", 1)),
    count: Math.min(COUNT_MAX, Math.max(0, readNumber(query, "count", COUNT_USUAL))),
  };
}

function readFilter(text: string) {
  const filter = parseScimFilter(text);
  if (filter) return filter;
  const description = 'The filter is malformed: write attribute eq "value", with and, or, not and parentheses';
  throw new ScimError("invalidFilter", { reason: "scim_filter_refused", field: "filter", description });
}

function readNumber(query: Parameters, name: string, usual: number): number {
  const [text] = query.all(name);
  if (text === undefined) return usual;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  const description = `${name} must be a whole number`;
  throw new ScimError("invalidValue", { reason: "scim_value_refused", field: name, description });
}

export function toListAnswer(resources: readonly ScimResource[], total: number, startIndex: number): ScimResource {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
