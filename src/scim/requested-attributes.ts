import { findByPath, isExtension } from "#directories/user-attributes.ts";
import { isObject } from "#protocol/json-object.ts";
import { attributeOf, ENTERPRISE_USER } from "#protocol/scim-filter.ts";
import type { ScimResource } from "./resources.ts";

/** The parts of a resource that a request names, in lower case. A part is named as a whole, or by its own parts. */
type Parts = Map<string, Parts | "whole">;

const EXTENSION = ENTERPRISE_USER.toLowerCase();

/**
 * Returns a function that selects the requested attributes and sub-attributes of a resource, or all but the excluded ones (RFC 7644
 * §3.9). `id` and `schemas` are always included.
 *
 * @param attributes the values of `attributes`, each a list with commas; if there are any, `excluded` is ignored
 * @param excluded the values of `excludedAttributes`
 */
export function selectorOf(
  attributes: readonly string[],
  excluded: readonly string[],
): (resource: ScimResource) => ScimResource {
  const isAsked = attributes.length > 0;
  const lists = isAsked ? attributes : excluded;
  if (lists.length === 0) return (resource) => resource;
  const parts: Parts = new Map();
  for (const path of lists.flatMap((list) => list.split(","))) addPath(parts, namesOf(path));
  for (const name of ["id", "schemas"]) {
    if (isAsked) parts.set(name, "whole");
    else parts.delete(name);
  }
  return (resource) => (select(resource, parts, isAsked) ?? {}) as ScimResource;
}

/** Splits a path into the names on the way to the attribute, such as `name` and `familyname`. */
function namesOf(path: string): string[] {
  const name = attributeOf(path.trim());
  if (isExtension(name)) return [name];
  const isOfExtension = findByPath(name)?.attribute.isEnterprise === true;
  return [...(isOfExtension ? [EXTENSION] : []), ...name.replace(`${EXTENSION}:`, "").split(".")];
}

function addPath(parts: Parts, names: readonly string[]): void {
  let within = parts;
  for (const [at, name] of names.entries()) {
    const known = within.get(name);
    if (known === "whole") return;
    const inner: Parts | "whole" = at === names.length - 1 ? "whole" : (known ?? new Map());
    within.set(name, inner);
    if (inner !== "whole") within = inner;
  }
}

/** Keeps or removes the named parts of a value. @returns `undefined` if nothing is left */
function select(value: unknown, parts: Parts, isKept: boolean): unknown {
  if (Array.isArray(value)) {
    const elements = value.map((each: unknown) => select(each, parts, isKept)).filter((each) => each !== undefined);
    return elements.length === 0 && value.length > 0 ? undefined : elements;
  }
  if (!isObject(value)) return isKept ? undefined : value;
  let selected: Record<string, unknown> | undefined;
  for (const name in value) {
    const named = parts.get(name.toLowerCase());
    const isWhole = named === undefined || named === "whole";
    const left = isWhole
      ? (named === "whole") === isKept
        ? value[name]
        : undefined
      : select(value[name], named, isKept);
    if (left !== undefined) (selected ??= {})[name] = left;
  }
  return selected;
}
