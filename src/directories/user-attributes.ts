import { ENTERPRISE_USER } from "#protocol/scim-filter.ts";

/** An attribute of users that is stored (RFC 7643 §4.1 and §4.3). All others are ignored. */
export interface UserAttribute {
  readonly name: string;
  readonly kind: "text" | "flag" | "complex" | "plural";
  /** The sub-attributes of a complex attribute, or of the elements of a plural one. */
  readonly subs: readonly string[];
  readonly isEnterprise: boolean;
}

const VALUED = ["value", "display", "type", "primary"];
const ADDRESS = ["formatted", "streetAddress", "locality", "region", "postalCode", "country", "type", "primary"];
const NAME = ["formatted", "familyName", "givenName", "middleName", "honorificPrefix", "honorificSuffix"];

const texts = (names: readonly string[], isEnterprise = false): UserAttribute[] =>
  names.map((name) => ({ name, kind: "text", subs: [], isEnterprise }));

export const USER_ATTRIBUTES: readonly UserAttribute[] = [
  ...texts(["userName", "externalId", "displayName", "nickName", "profileUrl", "title", "userType"]),
  ...texts(["preferredLanguage", "locale", "timezone"]),
  { name: "active", kind: "flag", subs: [], isEnterprise: false },
  { name: "name", kind: "complex", subs: NAME, isEnterprise: false },
  ...["emails", "phoneNumbers", "ims", "photos", "roles", "entitlements"].map(
    (name): UserAttribute => ({ name, kind: "plural", subs: VALUED, isEnterprise: false }),
  ),
  { name: "addresses", kind: "plural", subs: ADDRESS, isEnterprise: false },
  ...texts(["employeeNumber", "costCenter", "organization", "division", "department"], true),
  { name: "manager", kind: "complex", subs: ["value", "$ref", "displayName"], isEnterprise: true },
];

const EXTENSION = ENTERPRISE_USER.toLowerCase();

/** Returns the attribute that a path in lower case names, and which part of it; `undefined` if it is not stored. */
export function findUserAttribute(path: string): { attribute: UserAttribute; sub?: string } | undefined {
  const isEnterprise = path.startsWith(`${EXTENSION}:`);
  const [first = "", wanted, ...rest] = (isEnterprise ? path.slice(EXTENSION.length + 1) : path).split(".");
  const attribute = USER_ATTRIBUTES.find(
    ({ name, isEnterprise: ofExtension }) => ofExtension === isEnterprise && name.toLowerCase() === first,
  );
  if (!attribute || rest.length > 0) return undefined;
  if (wanted === undefined) return { attribute };
  const sub = attribute.subs.find((name) => name.toLowerCase() === wanted);
  return sub === undefined ? undefined : { attribute, sub };
}

/**
 * Does the same as {@link findUserAttribute} for paths of changes and filters, where Entra ID writes `manager` without the
 * extension's schema.
 */
export function findByPath(path: string): ReturnType<typeof findUserAttribute> {
  return findUserAttribute(path) ?? findUserAttribute(`${EXTENSION}:${path}`);
}

/** Checks whether a path names the whole extension. */
export function isExtension(path: string): boolean {
  return path.toLowerCase() === EXTENSION;
}
