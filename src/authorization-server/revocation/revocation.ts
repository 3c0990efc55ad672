import {
  type ClientRequest,
  judging,
  readCredentials,
} from "#authorization-server/client-authentication/client-authentication.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { OAuthError } from "#protocol/errors.ts";
import { readOwnToken } from "#authorization-server/token/read-token.ts";

/**
 * Ends the grant of a token (RFC 7009). Revoking either token ends its grant, and so ends both. An invalid token, or one of another
 * client, gets the same response as a revoked one (§2.2): the caller learns nothing about other clients' tokens, and loses nothing.
 *
 * @throws {OAuthError} `invalid_client`, `invalid_request`
 */
export async function revoke(
  services: OAuthServices,
  instance: RequestInstance,
  request: ClientRequest,
): Promise<void> {
  const { grantEndings, keyring, tokenGrants } = services;
  const { parameters } = request;
  const credentials = await readCredentials(services, instance, request);
  const token = await judging(services, instance, credentials, () => {
    parameters.requireUnrepeated();
    return parameters.require("token");
  });
  const grantId = (await readOwnToken(keyring, instance, token))?.grantId ?? "";
  const { instanceId } = instance.policy;
  const { clientAuthenticated, grant } = await tokenGrants.observe({ instanceId, grantId, credentials });
  if (!clientAuthenticated) throw new OAuthError("invalid_client", { reason: "client_not_authenticated" });
  if (!grant) return;
  const { personId, clientId } = grant;
  const scope = { kind: "grant", grantId, personId, clientId } as const;
  await grantEndings.end(instance.policy, scope, "revoked_by_client", clientId);
}
