import type { Keyring } from "#crypto/keyring.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { OAuthError } from "#protocol/errors.ts";
import type {
  ClientAuthentication,
  ClientRequest,
} from "#authorization-server/client-authentication/client-authentication.ts";
import { readOwnToken } from "#authorization-server/token/read-token.ts";
import type { Grants } from "#grants/grants.ts";
import type { TokenGrants } from "#grants/token-grants.ts";

/** Token revocation (RFC 7009). Revoking either token ends its grant, and so ends both. */
export class Revocation {
  readonly #clients: ClientAuthentication;
  readonly #tokenGrants: Pick<TokenGrants, "observe">;
  readonly #grants: Grants;
  readonly #keyring: Keyring;

  constructor(
    clients: ClientAuthentication,
    tokenGrants: Pick<TokenGrants, "observe">,
    grants: Grants,
    keyring: Keyring,
  ) {
    this.#clients = clients;
    this.#tokenGrants = tokenGrants;
    this.#grants = grants;
    this.#keyring = keyring;
  }

  /**
   * Ends the grant of a token. An invalid token, or one of another client, gets the same response as a revoked one
   * (RFC 7009 §2.2): the caller learns nothing about other clients' tokens, and loses nothing.
   *
   * @throws {OAuthError} `invalid_client`, `invalid_request`
   */
  async revoke(instance: RequestInstance, request: ClientRequest): Promise<void> {
    const { parameters } = request;
    const credentials = await this.#clients.read(instance, request);
    const token = await this.#clients.judging(instance, credentials, () => {
      parameters.requireUnrepeated();
      return parameters.require("token");
    });
    const grantId = (await readOwnToken(this.#keyring, instance, token))?.grantId ?? "";
    const { instanceId } = instance.policy;
    const { clientAuthenticated, grant } = await this.#tokenGrants.observe({ instanceId, grantId, credentials });
    if (!clientAuthenticated) throw new OAuthError("invalid_client", { reason: "client_not_authenticated" });
    if (!grant) return;
    const { personId, clientId } = grant;
    await this.#grants.end(
      instance.policy,
      { kind: "grant", grantId, personId, clientId },
      "revoked_by_client",
      clientId,
    );
  }
}
