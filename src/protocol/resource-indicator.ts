import { OAuthError } from "./errors.ts";

/**
 * The resource that a token is for (RFC 8707 §2): the one that was asked for, or the Client API where none was.
 *
 * An instance has one resource, its origin. A trailing slash is the same resource: URI libraries add it on their own.
 *
 * @param requested every `resource` parameter of the request
 * @throws {OAuthError} `invalid_target` when any of them is not a resource of this instance.
 */
export function requireResource(requested: readonly string[], issuer: string): string {
  for (const resource of requested) {
    if (resource !== issuer && resource !== `${issuer}/`) {
      throw new OAuthError("invalid_target", {
        reason: "resource_unknown",
        description: `The resource is unknown here: use ${issuer}`,
      });
    }
  }
  return issuer;
}
