import type { Keyring } from "#crypto/keyring.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import {
  type ClientCredentials,
  readClientCredentials,
} from "#authorization-server/client-authentication/client-credentials.ts";
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
  readonly #grants: GrantRevoker;
  readonly #keyring: Keyring;
  readonly #snapshots: PolicySnapshots;
  readonly #clock: Clock;

  constructor(grants: GrantRevoker, keyring: Keyring, snapshots: PolicySnapshots, clock: Clock) {
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
  async revoke(instance: RequestInstance, parameters: Parameters, authorization: string | undefined): Promise<void> {
    parameters.requireUnrepeated();
    const token = parameters.require("token");
    const credentials = await readClientCredentials(parameters, authorization);
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
