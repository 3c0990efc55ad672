import { OAuthError } from "./errors.ts";

/**
 * What an instance protects with OAuth, as paths under its origin: all of it, the Client API, each call of it, and the MCP endpoint.
 * Every one is a resource of its own with its own metadata (RFC 9728 §3.1); a token for one opens what is below it.
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

/** The MCP endpoint, whose tools each ask for a scope of their own. */
export const MCP_PATH = "/mcp" satisfies ResourcePath;

/** Where a resource's metadata are, with the resource's path behind it (RFC 9728 §3.1). */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/**
 * The resource that is asked for (RFC 8707 §2); of several, the closest that holds all of them.
 *
 * A trailing slash is the same resource: URI libraries add it on their own.
 *
 * @param requested every `resource` parameter of the request
 * @returns `undefined` where none is asked for
 * @throws {OAuthError} `invalid_target` when any of them is not a resource of this instance
 */
export function parseResource(requested: readonly string[], issuer: string): string | undefined {
  const [first, ...others] = requested.map((resource) => requireKnown(resource.replace(/\/$/, ""), issuer));
  if (first === undefined) return undefined;
  return others.reduce((holder, other) => {
    let closest = holder;
    while (!isWithin(other, closest)) closest = closest.slice(0, closest.lastIndexOf("/"));
    return isResource(closest, issuer) ? closest : issuer;
  }, first);
}

/** Whether a resource is another one, or below it. */
export function isWithin(resource: string, other: string): boolean {
  return resource === other || resource.startsWith(`${other}/`);
}

/** Whether an audience is a resource of this issuer. */
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
