import { isObject } from "#protocol/json-object.ts";
import type { StoredUser, UserDraft } from "#directories/directory.ts";
import { findUserAttribute, isExtension, type UserAttribute } from "#directories/user-attributes.ts";
import { displayName } from "#protocol/display-name.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { ScimError } from "#protocol/errors.ts";
import { ENTERPRISE_USER } from "#protocol/scim-filter.ts";

/** A user as their directory describes them, with attribute names spelled as in RFC 7643. */
export type UserResource = Record<string, unknown>;

/** A complex value, or an element of a plural attribute. */
export type Element = Record<string, unknown>;

const TEXT_CHARACTERS_MAX = 1000;
const ELEMENTS_MAX = 50;

/** Maximum size of all attributes of a user together. */
const RESOURCE_CHARACTERS_MAX = 20_000;

/**
 * Reads a user, or the part of one that a change contains. Attributes that are not stored are left out.
 *
 * @throws {ScimError} `invalidValue`, naming the attribute
 */
export function readResource(given: Readonly<Record<string, unknown>>): UserResource {
  const resource: UserResource = {};
  for (const [name, value] of Object.entries(given)) {
    const path = name.toLowerCase();
    if (isExtension(path)) {
      if (isObject(value)) mergeExtension(resource, value);
      continue;
    }
    const found = findUserAttribute(path);
    // `emails.value` does not say which element it belongs to.
    if (found && (found.sub === undefined || found.attribute.kind !== "plural")) writeAttribute(resource, found, value);
  }
  return resource;
}

/** Writes an attribute or a part of it; `null` removes it. */
export function writeAttribute(
  resource: UserResource,
  { attribute, sub }: NonNullable<ReturnType<typeof findUserAttribute>>,
  value: unknown,
): void {
  const place = containerOf(resource, attribute);
  if (sub !== undefined) {
    const before = isObject(place[attribute.name]) ? (place[attribute.name] as Element) : {};
    const parts = { ...before, [sub]: readText(value, `${attribute.name}.${sub}`) };
    if (isEmpty(parts)) delete place[attribute.name];
    else place[attribute.name] = parts;
    return;
  }
  const read = readValue(attribute, value);
  if (read === undefined) delete place[attribute.name];
  else place[attribute.name] = read;
}

/** Returns the object that has an attribute: the resource, or its extension. */
export function containerOf(resource: UserResource, { isEnterprise }: UserAttribute): Record<string, unknown> {
  return isEnterprise ? extensionOf(resource) : resource;
}

/** Returns the extension of a user, and creates it if there is none. */
export function extensionOf(resource: UserResource): Record<string, unknown> {
  const extension = resource[ENTERPRISE_USER] ?? {};
  resource[ENTERPRISE_USER] = extension;
  return extension as Record<string, unknown>;
}

function mergeExtension(resource: UserResource, value: Readonly<Record<string, unknown>>): void {
  for (const [name, inner] of Object.entries(value)) {
    const found = findUserAttribute(`${ENTERPRISE_USER}:${name}`.toLowerCase());
    if (found) writeAttribute(resource, found, inner);
  }
}

/** Converts a value to its stored form; `undefined` if there is none. */
export function readValue(attribute: UserAttribute, value: unknown): unknown {
  const { name, kind, subs } = attribute;
  if (value === null || value === undefined) return undefined;
  switch (kind) {
    case "text":
      return readText(value, name);
    case "flag":
      return readFlag(value, name);
    case "complex": {
      // Entra ID sends a manager as a plain id, or as a list of one.
      if (Array.isArray(value) && value.length === 1) return readValue(attribute, value[0]);
      const parts = readParts(value, name, subs);
      return isEmpty(parts) ? undefined : parts;
    }
    case "plural":
    default:
      return readElements(value, name, subs);
  }
}

function readElements(value: unknown, name: string, subs: readonly string[]): Element[] | undefined {
  const elements: unknown[] = Array.isArray(value) ? value : [value];
  if (elements.length > ELEMENTS_MAX) throw refused(name, `has at most ${ELEMENTS_MAX} elements`);
  const read = elements.map((element) => readParts(element, name, subs)).filter((element) => !isEmpty(element));
  // A PATCH compares the elements of a list with each of its operations.
  if (JSON.stringify(read).length > RESOURCE_CHARACTERS_MAX) throw tooLong(name);
  const merged = mergedElements([], read);
  if (merged.filter(({ primary }) => primary === true).length > 1)
    throw refused(name, "has at most one primary element");
  return merged.length === 0 ? undefined : merged;
}

/** Reads an object. A text stands for the first of the parts, as in a manager's id or a list of addresses. */
function readParts(value: unknown, name: string, subs: readonly string[]): Element {
  const given = typeof value === "string" ? { [subs[0] ?? ""]: value } : value;
  if (!isObject(given)) throw refused(name, "must be an object");
  const parts: Element = {};
  for (const [key, inner] of Object.entries(given)) {
    const sub = subs.find((known) => known.toLowerCase() === key.toLowerCase());
    if (sub === undefined || inner === null) continue;
    parts[sub] = sub === "primary" ? readFlag(inner, `${name}.primary`) : readText(inner, `${name}.${sub}`);
  }
  return parts;
}

/**
 * Adds elements to a list, which names nothing twice with the same type (RFC 7643 §2.4).
 *
 * @param isAddition whether an element with another type is the same one, whose type changes
 */
export function mergedElements(before: readonly Element[], given: readonly Element[], isAddition = false): Element[] {
  const merged = before.map((element) => ({ element, content: contentOf(element) }));
  for (const element of given) {
    const content = contentOf(element);
    const same = merged.filter((other) => other.content === content);
    const exact = same.find((other) => isSame(other.element["type"], element["type"]));
    const known = exact ?? (isAddition ? same[0] : undefined);
    if (known) known.element = { ...known.element, ...element };
    else merged.push({ element, content });
  }
  return merged.map(({ element }) => element);
}

const LABELS: ReadonlySet<string> = new Set(["type", "primary", "display"]);

/** Returns what an element says apart from its labels, in lower case: its `value`, or the parts of an address. */
export function contentOf(element: Element): string {
  const content = Object.entries(element).filter(([name]) => !LABELS.has(name));
  const parts = content.length === 0 ? [["type", element["type"]]] : content;
  return JSON.stringify(parts.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))).toLowerCase();
}

/** Compares values of attributes without case. */
export function isSame(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((value) => (typeof value === "string" ? value.toLowerCase() : value));
  return a === b;
}

/** An object or element without values counts as absent (RFC 7643 §2.5). */
function isEmpty(parts: Element): boolean {
  return Object.values(parts).every((part) => part === undefined);
}

function readText(value: unknown, name: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") throw refused(name, "must be a text");
  if (value.length > TEXT_CHARACTERS_MAX) throw refused(name, `has at most ${TEXT_CHARACTERS_MAX} characters`);
  return value;
}

/** Reads a flag. Entra ID sends `"True"` and `"False"`. */
function readFlag(value: unknown, name: string): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "string" && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === "true";
  throw refused(name, "must be true or false");
}

/**
 * Returns the user that a complete resource describes: the facts about the person, and the attributes to store.
 *
 * @throws {ScimError} `invalidValue`
 */
export function toDraft(resource: UserResource): UserDraft {
  const { active = true, [ENTERPRISE_USER]: extension, ...core } = resource;
  const isExtended = isObject(extension) && !isEmpty(extension);
  const attributes = isExtended ? { ...core, [ENTERPRISE_USER]: extension } : core;
  const { userName, externalId } = attributes;
  if (typeof userName !== "string" || userName.trim() === "") throw refused("userName", "is required");
  if (JSON.stringify(attributes).length > RESOURCE_CHARACTERS_MAX) throw tooLong("the user");
  const email = emailOf(attributes, userName);
  return {
    userName,
    externalId: typeof externalId === "string" ? externalId : null,
    isActive: active === true,
    email,
    name: displayName(attributes["displayName"]) ?? displayName(nameOf(attributes["name"])) ?? email,
    attributes,
  };
}

/** Returns a copy of a stored user, to be changed. */
export function resourceOf({ attributes, isActive }: Pick<StoredUser, "attributes" | "isActive">): UserResource {
  return { ...(JSON.parse(JSON.stringify(attributes)) as UserResource), active: isActive };
}

/** Returns the primary email address, or else the one for work, or else the first, or else the user name. */
function emailOf({ emails }: UserResource, userName: string): string {
  const elements = (Array.isArray(emails) ? emails : []) as Record<string, unknown>[];
  const given = elements.filter(({ value }) => typeof value === "string" && value !== "");
  const chosen =
    given.find(({ primary }) => primary === true) ??
    given.find(({ type }) => typeof type === "string" && type.toLowerCase() === "work") ??
    given[0];
  const email = parseEmailAddress(chosen?.["value"] ?? userName);
  if (email !== undefined) return email;
  throw refused("emails", "needs an email address, unless userName is one");
}

function nameOf(name: unknown): string | undefined {
  if (!isObject(name)) return undefined;
  const { formatted, givenName, familyName } = name;
  if (typeof formatted === "string" && formatted !== "") return formatted;
  return [givenName, familyName].filter((part) => typeof part === "string" && part !== "").join(" ");
}

/** Returns a member of an object, with its name in any case. @param name in lower case */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
}

function tooLong(name: string): ScimError {
  return refused(name, `has at most ${RESOURCE_CHARACTERS_MAX} characters`);
}

function refused(name: string, problem: string): ScimError {
  return new ScimError("invalidValue", {
    reason: "scim_value_refused",
    field: name,
    description: `${name} ${problem}`,
  });
}
