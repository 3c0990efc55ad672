import { isObject } from "#protocol/json-object.ts";
import { findByPath, isExtension, type UserAttribute } from "#directories/user-attributes.ts";
import { ScimError } from "#protocol/errors.ts";
import { ENTERPRISE_USER, type ScimFilter, type ScimOperator } from "#protocol/scim-filter.ts";
import { noTarget, type PatchOperation, requiredAttribute } from "./patch-request.ts";
import {
  containerOf,
  contentOf,
  type Element,
  extensionOf,
  isSame,
  memberOf,
  mergedElements,
  readResource,
  readValue,
  type UserResource,
  writeAttribute,
} from "./user-resource.ts";

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
  writeAttribute(resource, { attribute, ...(sub === undefined ? {} : { sub }) }, null);
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
  const set = (elements: Element[]) => writeAttribute(resource, { attribute }, withOnePrimary(elements, before));
  if (op === "remove") {
    if (sub !== undefined) return set(before.map((element) => (isMeant(element) ? without(element, sub) : element)));
    const named =
      of === undefined && value !== undefined && value !== null
        ? ((readValue(attribute, value) ?? []) as Element[])
        : null;
    const isNamed = (element: Element) => named === null || named.some((each) => describes(each, element));
    return set(before.filter((element) => !isMeant(element) || !isNamed(element)));
  }
  if (sub === undefined && of === undefined) {
    const given = (readValue(attribute, value) ?? []) as Element[];
    if (op === "replace") return set(given);
    return set(mergedElements(before, given, true));
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

/** Checks whether a removal means an element: by its value, and by its type if there is one, or else by everything that is given. */
function describes(given: Element, element: Element): boolean {
  const compared = given["value"] === undefined ? Object.keys(given) : ["value", "type"];
  return compared.every((sub) => given[sub] === undefined || isSame(given[sub], element[sub]));
}

/** Keeps one element primary: the one that this change made primary. */
function withOnePrimary(elements: Element[], before: readonly Element[]): Element[] {
  const isPrimary = ({ primary }: Element) =>
    primary === true || (typeof primary === "string" && /^true$/i.test(primary));
  const primary = elements.filter(isPrimary);
  if (primary.length < 2) return elements;
  const wasPrimary = new Set(before.filter(isPrimary).map(contentOf));
  const chosen = primary.find((element) => !wasPrimary.has(contentOf(element))) ?? primary.at(-1);
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
    default:
      return compares(plain(memberOf(element, filter.attribute)), filter.operator, plain(filter.value));
  }
}

function compares(had: string | null, operator: ScimOperator, wanted: string | null): boolean {
  if (operator === "eq") return had === wanted;
  if (operator === "ne") return had !== wanted;
  if (had === null || wanted === null) return false;
  switch (operator) {
    case "co":
      return had.includes(wanted);
    case "sw":
      return had.startsWith(wanted);
    case "ew":
      return had.endsWith(wanted);
    case "gt":
      return had > wanted;
    case "ge":
      return had >= wanted;
    case "lt":
      return had < wanted;
    case "le":
    default:
      return had <= wanted;
  }
}

function plain(value: unknown): string | null {
  if (typeof value === "string") return value.toLowerCase();
  return typeof value === "boolean" || typeof value === "number" ? String(value) : null;
}

function refused(description: string): ScimError {
  return new ScimError("invalidPath", { reason: "scim_path_malformed", description });
}
