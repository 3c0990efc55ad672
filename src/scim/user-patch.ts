import { isObject } from "#protocol/json-object.ts";
import { findByPath, isExtension, type UserAttribute } from "#directories/user-attributes.ts";
import { ScimError } from "#protocol/errors.ts";
import { ENTERPRISE_USER, type ScimFilter } from "#protocol/scim-filter.ts";
import { noTarget, type PatchOperation, requiredAttribute } from "./patch-request.ts";
import {
  containerOf,
  extensionOf,
  memberOf,
  readResource,
  readValue,
  type UserResource,
  writeAttribute,
} from "./user-resource.ts";

type Element = Record<string, unknown>;

/**
 * Changes a user by one operation. Attributes that are not stored are ignored, because identity providers send everything that
 * their mapping contains.
 */
export function applyToUser(resource: UserResource, { op, path, value }: PatchOperation): void {
  if (isExtension(path.attribute)) {
    if (op === "remove") delete resource[ENTERPRISE_USER];
    else if (isObject(value))
      Object.assign(extensionOf(resource), readResource({ [ENTERPRISE_USER]: value })[ENTERPRISE_USER]);
    return;
  }
  const found = findByPath(path.attribute);
  if (!found) return;
  const { attribute } = found;
  const sub = found.sub ?? attribute.subs.find((name) => name.toLowerCase() === path.sub);
  if (path.sub !== undefined && sub === undefined) return;
  if (attribute.kind === "plural") return applyToElements(resource, attribute, sub, path.of, op, value);
  if (path.of) throw refused(`${attribute.name} has no elements to choose from`);
  if (op === "remove" && attribute.name === "userName") throw requiredAttribute("userName");
  if (op !== "remove") {
    const isMerged = attribute.kind === "complex" && sub === undefined && isObject(value);
    const before = containerOf(resource, attribute)[attribute.name];
    writeAttribute(
      resource,
      { attribute, ...(sub === undefined ? {} : { sub }) },
      isMerged && isObject(before) ? { ...before, ...value } : value,
    );
    return;
  }
  const place = containerOf(resource, attribute);
  if (sub === undefined) delete place[attribute.name];
  else if (isObject(place[attribute.name])) delete (place[attribute.name] as Element)[sub];
}

function applyToElements(
  resource: UserResource,
  attribute: UserAttribute,
  sub: string | undefined,
  of: ScimFilter | undefined,
  op: PatchOperation["op"],
  value: unknown,
): void {
  const before = (resource[attribute.name] ?? []) as Element[];
  const isMeant = (element: Element) => of === undefined || matches(of, element);
  const set = (elements: Element[]) => {
    if (elements.length === 0) delete resource[attribute.name];
    else resource[attribute.name] = readValue(attribute, withOnePrimary(elements, before));
  };
  if (op === "remove") {
    if (sub !== undefined) return set(before.map((element) => (isMeant(element) ? without(element, sub) : element)));
    const named =
      of === undefined && value !== undefined && value !== null ? (readValue(attribute, value) as Element[]) : null;
    const isNamed = (element: Element) => named === null || named.some((each) => each["value"] === element["value"]);
    return set(before.filter((element) => !isMeant(element) || !isNamed(element)));
  }
  if (sub === undefined && of === undefined) {
    const given = (readValue(attribute, value) ?? []) as Element[];
    if (op === "replace") return set(given);
    const known = new Set(before.map((element) => JSON.stringify(element)));
    return set([...before, ...given.filter((element) => !known.has(JSON.stringify(element)))]);
  }
  const change = sub === undefined ? requireElement(attribute, value) : { [sub]: value };
  if (before.some(isMeant))
    return set(before.map((element) => (isMeant(element) ? { ...element, ...change } : element)));
  // Entra ID sends `emails[type eq "work"].value` for users who have no such address yet.
  const described = of === undefined ? {} : valuesOf(of);
  if (described === undefined) throw noTarget(`No element of ${attribute.name} matches the filter`);
  set([...before, { ...described, ...change }]);
}

function requireElement(attribute: UserAttribute, value: unknown): Element {
  const [element] = (readValue(attribute, value) ?? []) as Element[];
  if (element) return element;
  const description = `${attribute.name} needs an element as its value`;
  throw new ScimError("invalidValue", { reason: "scim_value_refused", field: attribute.name, description });
}

/** Keeps one element primary: the one that this change made primary. */
function withOnePrimary(elements: Element[], before: readonly Element[]): Element[] {
  const isPrimary = ({ primary }: Element) =>
    primary === true || (typeof primary === "string" && /^true$/i.test(primary));
  const primary = elements.filter(isPrimary);
  if (primary.length < 2) return elements;
  const chosen = primary.find((element) => !before.includes(element)) ?? primary.at(-1);
  return elements.map((element) =>
    isPrimary(element) && element !== chosen ? { ...element, primary: false } : element,
  );
}

function without(element: Element, sub: string): Element {
  const { [sub]: _, ...rest } = element;
  return rest;
}

/** Returns the values that a filter of equalities gives a new element; `undefined` for any other filter. */
function valuesOf(filter: ScimFilter): Element | undefined {
  if (filter.kind === "compare" && filter.operator === "eq") return { [filter.attribute]: filter.value };
  if (filter.kind !== "and") return undefined;
  const parts = filter.parts.map(valuesOf);
  return parts.includes(undefined) ? undefined : (Object.assign({}, ...parts) as Element);
}

/** Checks whether a filter matches an element, ignoring case. */
function matches(filter: ScimFilter, element: Element): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => matches(part, element));
    case "or":
      return filter.parts.some((part) => matches(part, element));
    case "not":
      return !matches(filter.of, element);
    case "present":
      return memberOf(element, filter.attribute) !== undefined;
    case "element":
      throw refused("An element has no elements");
    case "compare":
    default: {
      const is = plain(memberOf(element, filter.attribute)) === plain(filter.value);
      if (filter.operator === "eq") return is;
      if (filter.operator === "ne") return !is;
      throw refused("Elements are chosen with eq, ne and pr");
    }
  }
}

function plain(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : typeof value === "boolean" ? String(value) : value;
}

function refused(description: string): ScimError {
  return new ScimError("invalidPath", { reason: "scim_path_malformed", description });
}
