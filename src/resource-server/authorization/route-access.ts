import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import { isWithin } from "#protocol/resource-indicator.ts";
import type { Caller } from "#resource-server/authentication/caller.ts";
import { type ClientApiRoute, ROUTE_SCOPES } from "./route-scopes.ts";

/**
 * What a route asks of a caller who is known: a token that is for it (RFC 8707 §2) and has its scope.
 *
 * @returns a check that throws {@link ApiError} `invalid_token` or `insufficient_scope`
 */
export function accessTo(route: ClientApiRoute): (instance: RequestInstance, caller: Caller) => void {
  const scope = ROUTE_SCOPES[route];
  const path = route.slice(route.indexOf("/"));
  return (instance, { resource, scopes }) => {
    if (resource !== undefined && !isWithin(instance.issuer + path, resource)) {
      throw new ApiError("invalid_token", {
        reason: "token_of_another_resource",
        description: `The token is for ${resource}: ask for one with resource=${instance.issuer}`,
      });
    }
    if (!scopes.has(scope)) {
      throw new ApiError("insufficient_scope", {
        reason: "scope_missing",
        description: `The token lacks the scope ${scope}: get one that has it`,
      });
    }
  };
}
