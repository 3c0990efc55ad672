import { requireAuthentic } from "#authorization-server/client-authentication/client-authentication.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import type { Client } from "#clients/client.ts";
import { isDocumentUrl } from "#clients/document-clients.ts";
import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { proofOfMachine, type ServiceAccount } from "#service-accounts/service-account.ts";
import { addAssertedGrant, requireScope } from "./asserted-grant.ts";
import type { Asking, GrantType } from "./grant-type.ts";

/**
 * Grants access to a service account in its own name (RFC 6749 §4.4), if it has its own key (RFC 7523 §2.2), or to the app of a
 * metadata document that an administrator bound to the account. Client secrets are not accepted here, because they could be copied
 * from every place that uses them.
 */
export function machineGrant(services: OAuthServices): GrantType {
  const { documentClients, serviceAccounts, tokenGrants } = services;

  /**
   * Reads the document of the app that a request claims to come from, which no person may ever have used. Documents are fetched only
   * from addresses that an administrator entered.
   */
  async function makeKnown({ instance, request }: Asking, assertion: string): Promise<Client | null> {
    const { iss } = parseCompactJwt(assertion)?.payload ?? {};
    const { policy } = instance;
    if (typeof iss !== "string" || !isDocumentUrl(iss) || !policy.settings.clientIdMetadataDocuments) return null;
    const bound = await serviceAccounts.ofClient(policy.instanceId, iss);
    return bound.length === 0 ? null : documentClients.find(policy, iss, request.beforeStranger, true);
  }

  async function accountOf(instanceId: number, clientId: string): Promise<ServiceAccount> {
    const [account, ...others] = isDocumentUrl(clientId)
      ? await serviceAccounts.ofClient(instanceId, clientId)
      : [await serviceAccounts.find(instanceId, clientId)];
    if (account && others.length === 0) return account;
    throw new OAuthError("unauthorized_client", {
      reason: "client_no_service_account",
      description: account
        ? "This client is bound to several service accounts: ask an administrator to bind it to one"
        : "This client acts for people: an administrator makes a service account for client_credentials",
    });
  }

  return async (asking) => {
    const { instance, request } = asking;
    const assertion = request.parameters.one("client_assertion");
    if (assertion === undefined) {
      throw new OAuthError("invalid_client", {
        reason: "machine_without_assertion",
        description: "client_credentials needs private_key_jwt: send client_assertion and client_assertion_type",
      });
    }
    const app = await makeKnown(asking, assertion);
    const authentic = await requireAuthentic(services, instance, request);
    const { clientId } = authentic;
    const account = await ofConnection({ clientId }, () => accountOf(instance.policy.instanceId, clientId));
    return {
      // An app gets the account's grants: disabling the account, its scopes and its limits hold for them.
      credentials: { clientId: account.id, proof: await proofOfMachine(account.proof) },
      requirements: app ? [...app.requirements, ...app.declaredRequirements] : [],
      async read(asked) {
        const { id: personId } = account;
        const { resource = instance.issuer } = asked;
        const scope = requireScope(asked.parameters, account.scopes);
        return () =>
          addAssertedGrant(tokenGrants, asked, { personId, scope, resource, assertedBy: clientId, basis: null });
      },
    };
  };
}
