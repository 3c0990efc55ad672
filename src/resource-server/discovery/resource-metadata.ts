import { organisationOf } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { API_SCOPES } from "#protocol/scopes.ts";

/** RFC 9728 §3. */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/**
 * The Client API's metadata (RFC 9728 §2). While the authorization server is off, none is named: a client that went there
 * would only meet a refusal.
 */
export function resourceMetadata({ issuer, policy }: RequestInstance, serviceName: string) {
  return {
    resource: issuer,
    ...(policy.settings.oauthEnabled ? { authorization_servers: [issuer] } : {}),
    scopes_supported: API_SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: `${organisationOf(policy)} (${serviceName})`,
  };
}
