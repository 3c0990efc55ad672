import { DPOP_ALGORITHMS, mustBeBound } from "#dpop/dpop-proof.ts";
import { organisationOf } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import {
  isWithin,
  MCP_PATH,
  RESOURCE_METADATA_PATH,
  RESOURCE_PATHS,
  type ResourcePath,
} from "#protocol/resource-indicator.ts";
import { API_SCOPES, type Scope } from "#protocol/scopes.ts";
import { MCP_SCOPES, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";

/** The resources, by the path of their metadata. */
export const RESOURCE_METADATA_PATHS = new Map(RESOURCE_PATHS.map((path) => [RESOURCE_METADATA_PATH + path, path]));

/**
 * Returns a resource's metadata (RFC 9728 §2). While the authorization server is off, none is named: a client that went there
 * would only be refused.
 */
export function resourceMetadata({ issuer, policy }: RequestInstance, path: ResourcePath, serviceName: string) {
  return {
    resource: issuer + path,
    ...(policy.settings.oauthEnabled ? { authorization_servers: [issuer] } : {}),
    scopes_supported: scopesWithin(path),
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    ...(mustBeBound(policy.settings) ? { dpop_bound_access_tokens_required: true } : {}),
    resource_name: `${organisationOf(policy)} (${serviceName})`,
  };
}

/** Returns the scopes that the calls below a resource need; at the root, all scopes that open an API. */
function scopesWithin(path: ResourcePath): readonly Scope[] {
  if (path === MCP_PATH) return MCP_SCOPES;
  const needed = Object.entries(ROUTE_SCOPES)
    .filter(([route]) => isWithin(route.slice(route.indexOf("/")), path))
    .map(([, scope]) => scope);
  return path === "" ? API_SCOPES : API_SCOPES.filter((scope) => (needed as readonly Scope[]).includes(scope));
}
