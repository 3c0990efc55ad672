import type { Keyring } from "#crypto/keyring.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import { OAuthError } from "#protocol/errors.ts";
import type {
  ClientAuthentication,
  ClientRequest,
} from "#authorization-server/client-authentication/client-authentication.ts";
import type { ClientCredentials } from "#clients/client-proof.ts";
import { readOwnToken } from "#authorization-server/token/read-token.ts";

/** Ends grants for the clients that hold them. */
export interface GrantRevoker {
  /** Ends the grant if it is this client's; whether it was running, and whether the client is who it says. */
  revokeOwn(
    grant: { instanceId: number; grantId: string; credentials: ClientCredentials },
    now: number,
  ): Promise<{ clientAuthenticated: boolean; revoked: boolean }>;
}

/** Token revocation (RFC 7009). Either token stands for its grant: ending one ends both. */
export class Revocation {
  readonly #clients: ClientAuthentication;
  readonly #grants: GrantRevoker;
  readonly #keyring: Keyring;
  readonly #snapshots: PolicySnapshots;
  readonly #clock: Clock;

  constructor(
    clients: ClientAuthentication,
    grants: GrantRevoker,
    keyring: Keyring,
    snapshots: PolicySnapshots,
    clock: Clock,
  ) {
    this.#clients = clients;
    this.#grants = grants;
    this.#keyring = keyring;
    this.#snapshots = snapshots;
    this.#clock = clock;
  }

  /**
   * A token that means nothing, or belongs to another client, is answered like one that was revoked (RFC 7009 §2.2): the caller
   * learns nothing of other clients' tokens, and loses nothing.
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
    const { instanceId, name } = instance.policy;
    const { clientAuthenticated, revoked } = await this.#grants.revokeOwn(
      { instanceId, grantId, credentials },
      this.#clock(),
    );
    if (!clientAuthenticated) throw new OAuthError("invalid_client", { reason: "client_not_authenticated" });
    if (revoked) this.#snapshots.expire(name);
  }
}
