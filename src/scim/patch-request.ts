import { isObject } from "#protocol/json-object.ts";
import { ScimError } from "#protocol/errors.ts";
import { parseScimPath, type ScimPath } from "#protocol/scim-filter.ts";
import { memberOf } from "./user-resource.ts";

/** One operation of a PATCH (RFC 7644 §3.5.2). */
export interface PatchOperation {
  readonly op: "add" | "replace" | "remove";
  readonly path: ScimPath;
  readonly value: unknown;
}

const OPERATIONS_MAX = 100;

/**
 * Reads a PATCH. Entra ID writes `Add`, `Replace` and `Remove`. An object without a path counts as one operation for each of its members.
 *
 * @throws {ScimError} `invalidSyntax`, `invalidPath`, `tooMany`
 */
export function readPatch(body: Readonly<Record<string, unknown>>): PatchOperation[] {
  const operations = memberOf(body, "operations");
  if (!Array.isArray(operations) || operations.length === 0) throw malformed("Operations must be a list of operations");
  const read = operations.slice(0, OPERATIONS_MAX + 1).flatMap(readOperation);
  if (read.length <= OPERATIONS_MAX) return read;
  throw new ScimError("tooMany", { reason: "scim_too_many", description: `Send at most ${OPERATIONS_MAX} operations` });
}

function readOperation(given: unknown): PatchOperation[] {
  if (!isObject(given)) throw malformed("An operation must be an object");
  const { op, path, value } = given;
  const verb = typeof op === "string" ? op.toLowerCase() : "";
  if (verb !== "add" && verb !== "replace" && verb !== "remove") throw malformed("op must be add, replace or remove");
  if (typeof path === "string" && path !== "") return [{ op: verb, path: readPath(path), value }];
  if (path !== undefined && path !== null && path !== "") throw malformed("path must be a text");
  if (verb === "remove" && !isObject(value)) throw noTarget("Name what to remove in the path");
  if (!isObject(value)) throw malformed("Without a path, value must be an object of attributes");
  return Object.entries(value).map(([name, inner]) => ({ op: verb, path: readPath(name), value: inner }));
}

function readPath(text: string): ScimPath {
  const path = parseScimPath(text);
  if (path) return path;
  const description = `${text.slice(0, 100)} is not a path`;
  throw new ScimError("invalidPath", { reason: "scim_path_malformed", field: "path", description });
}

function malformed(description: string): ScimError {
  return new ScimError("invalidSyntax", { reason: "scim_body_malformed", description });
}

/** Returns the error for an operation whose path selects nothing (RFC 7644 §3.5.2.2, §3.5.2.3). */
export function noTarget(description: string): ScimError {
  return new ScimError("noTarget", { reason: "scim_path_malformed", field: "path", description });
}

/** Returns the error for removing a required attribute (RFC 7644 §3.5.2.2). */
export function requiredAttribute(name: string): ScimError {
  const description = `${name} is required: replace it instead`;
  return new ScimError("mutability", { reason: "scim_change_refused", field: name, description });
}
