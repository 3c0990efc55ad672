import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { addAssertedGrant, requireScope } from "./asserted-grant.ts";
import type { GrantType } from "./grant-type.ts";

/**
 * Grants access to a service account in its own name (RFC 6749 §4.4), if it has its own key (RFC 7523 §2.2). Client secrets are not
 * accepted here, because they could be copied from every place that uses them.
 */
export function machineGrant({ clientAuthentication, serviceAccounts, tokenGrants }: OAuthServices): GrantType {
  return async ({ instance, request }) => {
    if (request.parameters.one("client_assertion") === undefined) {
      throw new OAuthError("invalid_client", {
        reason: "machine_without_assertion",
        description: "client_credentials needs private_key_jwt: send client_assertion and client_assertion_type",
      });
    }
    const credentials = await clientAuthentication.requireAuthentic(instance, request);
    const { clientId } = credentials;
    const account = await ofConnection({ clientId }, async () => {
      const found = await serviceAccounts.find(instance.policy.instanceId, clientId);
      if (found) return found;
      throw new OAuthError("unauthorized_client", {
        reason: "client_no_service_account",
        description: "This client acts for people: an administrator makes a service account for client_credentials",
      });
    });
    return {
      credentials,
      async read(asked) {
        const { id: personId } = account;
        const { resource = instance.issuer } = asked;
        const scope = requireScope(asked.parameters, account.scopes);
        return () =>
          addAssertedGrant(tokenGrants, asked, { personId, scope, resource, assertedBy: personId, basis: null });
      },
    };
  };
}
