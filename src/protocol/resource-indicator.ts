import { OAuthError } from "./errors.ts";

/**
 * The paths, below an instance's origin, that OAuth protects: all of it, the Client API, each of its calls, and the MCP endpoint.
 * Each is its own resource with its own metadata (RFC 9728 §3.1). A token for one opens everything below it.
 */
export const RESOURCE_PATHS = [
  "",
  "/rest/api/v1",
  "/rest/api/v1/search",
  "/rest/api/v1/chat",
  "/rest/api/v1/getdocuments",
  "/mcp",
] as const;

export type ResourcePath = (typeof RESOURCE_PATHS)[number];

/** The MCP endpoint, whose tools each need their own scope. */
export const MCP_PATH = "/mcp" satisfies ResourcePath;

/** The path of resources' metadata, which is followed by the resource's path (RFC 9728 §3.1). */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/**
 * Returns the requested resource (RFC 8707 §2); for several, the closest one that contains all of them.
 *
 * A trailing slash makes no difference, because URI libraries add it by themselves; nor do capitals in scheme and host (RFC 3986
 * §6.2.2.1).
 *
 * @param requested every `resource` parameter of the request
 * @returns `undefined` if none is requested
 * @throws {OAuthError} `invalid_target` if any of them is not a resource of this instance
 */
export function parseResource(requested: readonly string[], issuer: string): string | undefined {
  const [first, ...others] = requested.map((resource) => requireKnown(inUsualForm(resource), issuer));
  if (first === undefined) return undefined;
  return others.reduce((holder, other) => {
    let closest = holder;
    while (!isWithin(other, closest)) closest = closest.slice(0, closest.lastIndexOf("/"));
    return isResource(closest, issuer) ? closest : issuer;
  }, first);
}

/** Returns a resource in the form in which issuers and their paths are written here. */
export function inUsualForm(resource: string): string {
  return resource.replace(/^[^/]*:\/\/[^/?#]*/, (origin) => origin.toLowerCase()).replace(/\/$/, "");
}

/** Checks whether a resource is the other one, or below it. */
export function isWithin(resource: string, other: string): boolean {
  return resource === other || resource.startsWith(`${other}/`);
}

/** Checks whether an audience is a resource of this issuer. */
export function isResource(audience: unknown, issuer: string): audience is string {
  return RESOURCE_PATHS.some((path) => audience === issuer + path);
}

function requireKnown(resource: string, issuer: string): string {
  if (isResource(resource, issuer)) return resource;
  throw new OAuthError("invalid_target", {
    reason: "resource_unknown",
    description: `The resource is unknown: use ${issuer}`,
  });
}
