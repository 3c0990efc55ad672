import { withheldScope } from "#app-access/app-rules.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import { isWithin, type ResourcePath } from "#protocol/resource-indicator.ts";
import type { Caller } from "#resource-server/authentication/caller.ts";
import { type ClientApiRoute, ROUTE_SCOPES } from "./route-scopes.ts";

/**
 * Makes the check of a known caller at a route: their token must be for the route (RFC 8707 §2) and have its scope.
 *
 * @returns a check that throws {@link ApiError} `invalid_token`, `client_not_enabled` or `insufficient_scope`
 */
export function accessTo(route: ClientApiRoute): (instance: RequestInstance, caller: Caller) => void {
  const scope = ROUTE_SCOPES[route];
  const isFor = tokenFor(route.slice(route.indexOf("/")) as ResourcePath);
  return (instance, caller) => {
    isFor(instance, caller);
    if (caller.withheld?.includes(scope)) throw withheldScope(scope);
    if (!caller.scopes.has(scope)) {
      throw new ApiError("insufficient_scope", {
        reason: "scope_missing",
        description: `The token lacks the scope ${scope}: get a token with this scope`,
      });
    }
  };
}

/**
 * Makes the check that a caller's token is for a resource, whatever the caller may do there (RFC 8707 §2).
 *
 * @returns a check that throws {@link ApiError} `invalid_token` for a token of another resource
 */
export function tokenFor(path: ResourcePath): (instance: RequestInstance, caller: Caller) => void {
  return ({ issuer }, { resource }) => {
    // Most tokens are for the whole instance, which is recognised without making another string.
    if (resource === undefined || resource === issuer || isWithin(issuer + path, resource)) return;
    throw new ApiError("invalid_token", {
      reason: "token_of_another_resource",
      description: `The token is for ${resource}: request one with resource=${issuer}`,
    });
  };
}
