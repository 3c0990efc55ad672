import type { AuditTrail } from "#audit/audit.ts";
import { hashToken, type TokenHash } from "#crypto/hash.ts";
import { randomId, randomSecret } from "#crypto/random.ts";
import type { Clock } from "#platform/clock.ts";
import { requireRedirectUri } from "#protocol/redirect-uri.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { AuthenticationMethod, Client, NewClient } from "./client.ts";
import type { FoundClient } from "./register-client.ts";

/** A client as lists show it. */
export interface ListedClient extends FoundClient {
  readonly lastAuthorizedAt: number | null;
}

export interface StaticClientStore {
  add(instanceId: number, client: NewClient): Promise<void>;
  list(instanceId: number): Promise<ListedClient[]>;
  replace(instanceId: number, client: Client, changedAt: number): Promise<void>;
  writeSecret(instanceId: number, clientId: string, secretHash: TokenHash, changedAt: number): Promise<void>;
  /** @returns whether the client was pending */
  approve(instanceId: number, clientId: string, changedAt: number): Promise<boolean>;
  /** @returns whether there was such a client, not yet disabled */
  disable(instanceId: number, clientId: string, now: number): Promise<boolean>;
  remove(instanceId: number, clientId: string, now: number): Promise<void>;
}

export interface StaticClientOrder {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
  readonly tokenEndpointAuthMethod: AuthenticationMethod;
}

/** Clients as administrators see them: those that they make, and what they decide about those that registered. */
export class StaticClients {
  readonly #store: StaticClientStore;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(store: StaticClientStore, audit: AuditTrail, clock: Clock) {
    this.#store = store;
    this.#audit = audit;
    this.#clock = clock;
  }

  /**
   * @returns the client, and for a confidential one its secret, shown this once
   * @throws {OAuthError} `invalid_redirect_uri`
   */
  async create(
    instanceId: number,
    order: StaticClientOrder,
    actor: string,
  ): Promise<{ client: NewClient; secret: string | undefined }> {
    for (const uri of order.redirectUris) requireRedirectUri(uri);
    const secret = order.tokenEndpointAuthMethod === "none" ? undefined : randomSecret();
    const client: NewClient = {
      ...order,
      id: randomId(),
      kind: "static",
      clientUri: null,
      isPending: false,
      secretHash: secret === undefined ? null : await hashToken(secret),
      registrationTokenHash: null,
      fingerprint: null,
      createdAt: this.#clock(),
    };
    await this.#store.add(instanceId, client);
    await this.#record(instanceId, actor, "client_created", { clientId: client.id, ...order });
    return { client, secret };
  }

  list(instanceId: number): Promise<ListedClient[]> {
    return this.#store.list(instanceId);
  }

  /**
   * Changes a client. Scopes that are taken away are gone from running access tokens within a policy snapshot's age, and
   * from what a refresh gives.
   *
   * @throws {OAuthError} `invalid_redirect_uri`
   */
  async edit(
    instanceId: number,
    client: Client,
    changes: Partial<Pick<Client, "name" | "redirectUris" | "scopes">>,
    actor: string,
  ): Promise<void> {
    for (const uri of changes.redirectUris ?? []) requireRedirectUri(uri);
    await this.#store.replace(instanceId, { ...client, ...changes }, this.#clock());
    const { id: clientId, name, redirectUris, scopes } = client;
    await this.#record(instanceId, actor, "client_changed", {
      clientId,
      before: { name, redirectUris, scopes },
      after: changes,
    });
  }

  /** Replaces a confidential client's secret; the old one is wrong from now on. @returns the new one, shown this once */
  async rotateSecret(instanceId: number, clientId: string, actor: string): Promise<string> {
    const secret = randomSecret();
    await this.#store.writeSecret(instanceId, clientId, await hashToken(secret), this.#clock());
    await this.#record(instanceId, actor, "client_secret_rotated", { clientId });
    return secret;
  }

  /** Lets a client in that registered where administrators approve first. @returns whether it was waiting */
  async approve(instanceId: number, clientId: string, actor: string): Promise<boolean> {
    const approved = await this.#store.approve(instanceId, clientId, this.#clock());
    if (approved) await this.#record(instanceId, actor, "client_approved", { clientId });
    return approved;
  }

  /** Disables a client of any kind: nobody can authorize it, and its running tokens end within a policy snapshot's age. */
  async disable(instanceId: number, clientId: string, actor: string): Promise<boolean> {
    const disabled = await this.#store.disable(instanceId, clientId, this.#clock());
    if (disabled) await this.#record(instanceId, actor, "client_disabled", { clientId });
    return disabled;
  }

  /** Deletes a client of any kind, with its grants. */
  async remove(instanceId: number, clientId: string, actor: string): Promise<void> {
    await this.#store.remove(instanceId, clientId, this.#clock());
    await this.#record(instanceId, actor, "client_removed", { clientId });
  }

  #record(instanceId: number, actor: string, event: string, detail: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#audit.append({ instanceId, at: this.#clock(), actor, event, detail });
  }
}
