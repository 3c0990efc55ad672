import type { AuditTrail } from "#audit/audit.ts";
import type { AuditDetails, AuditEvent } from "#audit/audit-events.ts";
import { randomId, randomSecret } from "#crypto/random.ts";
import { AdministrationRefused } from "#administration/instance-administration.ts";
import type { Clock } from "#platform/clock.ts";
import { Refusal } from "#protocol/errors.ts";
import { requireRedirectUri } from "#protocol/redirect-uri.ts";
import { opensAnApi, type Scope } from "#protocol/scopes.ts";
import { type AuthenticationMethod, type Client, hasSecret } from "./client.ts";
import type { ClientKeys } from "./client-keys.ts";
import { REDIRECT_URIS_MAX } from "./client-metadata.ts";
import { displayName, NAME_CHARACTERS_MAX } from "./client-name.ts";
import { type ClientProof, proofOf, proofOfSecret } from "./client-proof.ts";
import type { NewClient } from "./new-client.ts";
import type { FoundClient } from "#authorization-server/registration/register-client.ts";

/** A client as lists show it. */
export interface ListedClient extends FoundClient {
  readonly lastAuthorizedAt: number | null;
}

export interface StaticClientStore {
  add(instanceId: number, client: NewClient): Promise<void>;
  list(instanceId: number): Promise<ListedClient[]>;
  replace(instanceId: number, client: Client, changedAt: number): Promise<void>;
  writeSecret(instanceId: number, clientId: string, proof: ClientProof, changedAt: number): Promise<void>;
  /** @returns whether the client was pending */
  approve(instanceId: number, clientId: string, changedAt: number): Promise<boolean>;
  /** @returns whether there was such a client, not yet disabled */
  disable(instanceId: number, clientId: string, now: number): Promise<boolean>;
  remove(instanceId: number, clientId: string, actor: string, now: number): Promise<void>;
}

export interface StaticClientOrder {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
  readonly tokenEndpointAuthMethod: AuthenticationMethod;
  /** For `private_key_jwt` alone. */
  readonly keys?: ClientKeys | null;
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
   * @throws {AdministrationRefused} naming the member that is wrong
   */
  async create(
    instanceId: number,
    wanted: StaticClientOrder,
    actor: string,
  ): Promise<{ client: NewClient; secret: string | undefined }> {
    const order = acceptable(wanted);
    const { keys = null } = order;
    const secret = hasSecret(order) ? randomSecret() : undefined;
    const client: NewClient = {
      ...order,
      id: randomId(),
      kind: "static",
      clientUri: null,
      isPending: false,
      isPublic: order.tokenEndpointAuthMethod === "none",
      keys,
      proof: await proofOf(keys, secret),
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
   * @throws {AdministrationRefused} naming the member that is wrong
   */
  async edit(
    instanceId: number,
    client: Client,
    wanted: Partial<Pick<Client, "name" | "redirectUris" | "scopes">>,
    actor: string,
  ): Promise<void> {
    const changes = acceptable(wanted);
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
    await this.#store.writeSecret(instanceId, clientId, await proofOfSecret(secret), this.#clock());
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
    await this.#store.remove(instanceId, clientId, actor, this.#clock());
    await this.#record(instanceId, actor, "client_removed", { clientId });
  }

  #record<Event extends AuditEvent>(
    instanceId: number,
    actor: string,
    event: Event,
    detail: AuditDetails[Event],
  ): Promise<void> {
    return this.#audit.append({ instanceId, at: this.#clock(), actor, event, detail });
  }
}

/**
 * The rules that hold for what clients say of themselves, for what administrators say of them: a name that a consent page can
 * show, redirect URIs, something to do.
 *
 * @returns the order, its name without what nobody sees
 * @throws {AdministrationRefused} naming the member
 */
function acceptable<Order extends Partial<StaticClientOrder>>(order: Order): Order {
  const { name, redirectUris, scopes } = order;
  if (redirectUris !== undefined && (redirectUris.length === 0 || redirectUris.length > REDIRECT_URIS_MAX)) {
    throw new AdministrationRefused(`Name 1 to ${REDIRECT_URIS_MAX} redirect URIs`, "redirectUris");
  }
  for (const uri of redirectUris ?? []) requireAcceptableUri(uri);
  if (scopes !== undefined && !opensAnApi(scopes)) {
    throw new AdministrationRefused("Choose at least one of SEARCH, CHAT and DOCUMENTS", "scopes");
  }
  if (name === undefined) return order;
  const visible = displayName(name);
  if (visible === undefined || Array.from(name.trim()).length > NAME_CHARACTERS_MAX) {
    throw new AdministrationRefused(`Give the app a name of 1 to ${NAME_CHARACTERS_MAX} characters`, "name");
  }
  return { ...order, name: visible };
}

function requireAcceptableUri(uri: string): void {
  try {
    requireRedirectUri(uri);
  } catch (error) {
    if (error instanceof Refusal) throw new AdministrationRefused(error.description, "redirectUris");
    throw error;
  }
}
