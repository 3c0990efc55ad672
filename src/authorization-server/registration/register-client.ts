import { hashToken, sha256, type TokenHash } from "#crypto/hash.ts";
import { type Client, hasSecret } from "#clients/client.ts";
import { proofOf } from "#clients/client-proof.ts";
import type { NewClient } from "#clients/new-client.ts";
import { randomId, randomSecret } from "#crypto/random.ts";
import type { PolicySnapshot, PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { Clock } from "#platform/clock.ts";
import { OAuthError } from "#protocol/errors.ts";
import { parseScopes } from "#protocol/scopes.ts";
import { type ClientMetadata, parseClientMetadata } from "#clients/client-metadata.ts";
import { admit } from "#clients/registration-policy.ts";

/** A host that lost its registration tries again a few times; more than this are attempts that nobody waits for. */
const UNUSED_REPETITIONS_MAX = 10;

/** A registered client as a store finds it. */
export interface FoundClient extends Client {
  readonly createdAt: number;
  readonly isDisabled: boolean;
}

export interface ClientRegistry {
  /** Adds a client; of those with its fingerprint that nobody has used, only the newest stay. */
  addRepeatable(instanceId: number, client: NewClient, unusedMax: number): Promise<void>;
  findManaged(instanceId: number, clientId: string, registrationTokenHash: TokenHash): Promise<FoundClient | null>;
  /** Replaces what a client registered. Whether it is disabled is not the client's to change. */
  replace(instanceId: number, client: Client, changedAt: number): Promise<void>;
  /** Deletes a client and ends its grants. */
  remove(instanceId: number, clientId: string, actor: string, now: number): Promise<void>;
}

/** A registration as it is answered; the secret is shown this once, the registration token to whoever has it. */
export interface RegistrationAnswer {
  readonly client: Client;
  readonly createdAt: number;
  readonly secret?: string | undefined;
  readonly registrationToken?: string | undefined;
  /** In the spelling that was asked for. */
  readonly scope: readonly string[];
  readonly applicationType?: "native" | "web" | undefined;
}

/** Dynamic client registration (RFC 7591) and its management (RFC 7592). */
export class ClientRegistration {
  readonly #registry: ClientRegistry;
  readonly #snapshots: PolicySnapshots;
  readonly #clock: Clock;

  constructor(registry: ClientRegistry, snapshots: PolicySnapshots, clock: Clock) {
    this.#registry = registry;
    this.#snapshots = snapshots;
    this.#clock = clock;
  }

  /**
   * Registers a client. Some hosts register at every start: of the same metadata from the same address, only the newest
   * registrations that nobody has used stay. Each has an id and a registration token of its own, for whoever merely repeats a
   * registration must not come to manage another's (docs/decisions/0003-repeated-registration.md).
   *
   * @param body the JSON of the request, whatever it is
   * @param address where it came from
   * @throws {OAuthError} `registration_not_enabled`, `invalid_redirect_uri`, or `invalid_client_metadata`
   */
  async register(policy: PolicySnapshot, body: unknown, address: string): Promise<RegistrationAnswer> {
    const { metadata, described } = describe(policy, body);
    const { applicationType, scope } = metadata;
    const secret = hasSecret(described) ? randomSecret() : undefined;
    const registrationToken = randomSecret();
    const client: NewClient = {
      ...described,
      id: randomId(),
      proof: await proofOf(described.keys, secret),
      registrationTokenHash: await hashToken(registrationToken),
      fingerprint: await sha256(JSON.stringify([address, described])),
      createdAt: this.#clock(),
    };
    await this.#registry.addRepeatable(policy.instanceId, client, UNUSED_REPETITIONS_MAX);
    return { client, createdAt: client.createdAt, secret, registrationToken, applicationType, scope };
  }

  /** @throws {OAuthError} `invalid_registration_token` */
  async read(policy: PolicySnapshot, clientId: string, token: string | undefined): Promise<RegistrationAnswer> {
    const client = await this.#requireManaged(policy, clientId, token);
    return { client, createdAt: client.createdAt, registrationToken: token, scope: client.scopes };
  }

  /**
   * Replaces a registration (RFC 7592 §2.2). Every rule of registration holds again.
   *
   * @throws {OAuthError} as {@link register}, and `invalid_registration_token`
   */
  async update(
    policy: PolicySnapshot,
    clientId: string,
    token: string | undefined,
    body: unknown,
  ): Promise<RegistrationAnswer> {
    const current = await this.#requireManaged(policy, clientId, token);
    const { metadata, described } = describe(policy, body);
    if ((body as { client_id?: unknown }).client_id !== clientId) {
      throw new OAuthError("invalid_client_metadata", {
        reason: "metadata_client_id",
        description: "client_id is not acceptable: it must be the client's own",
      });
    }
    if (described.isPublic !== current.isPublic || hasSecret(described) !== hasSecret(current)) {
      throw new OAuthError("invalid_client_metadata", {
        reason: "metadata_authentication_changed",
        description: "token_endpoint_auth_method cannot change between none, a secret and keys: register a new client",
      });
    }
    const isSameDestination = described.redirectUris.every((uri) => current.redirectUris.includes(uri));
    if (current.isPending && !isSameDestination) {
      throw new OAuthError("invalid_redirect_uri", {
        reason: "redirect_uris_under_approval",
        description: "The redirect URIs are being looked at by an administrator: register a new client for others",
      });
    }
    // What an administrator approved was where the codes go: another place has to be looked at again.
    const isPending = described.isPending && (current.isPending || !isSameDestination);
    const client = { ...described, id: clientId, isPending };
    await this.#registry.replace(policy.instanceId, client, this.#clock());
    this.#snapshots.expire(policy.name);
    const { scope, applicationType } = metadata;
    return { client, createdAt: current.createdAt, registrationToken: token, scope, applicationType };
  }

  /** Ends a registration and all that people granted it (RFC 7592 §2.3). @throws {OAuthError} `invalid_registration_token` */
  async remove(policy: PolicySnapshot, clientId: string, token: string | undefined): Promise<void> {
    await this.#requireManaged(policy, clientId, token);
    await this.#registry.remove(policy.instanceId, clientId, clientId, this.#clock());
    this.#snapshots.expire(policy.name);
  }

  async #requireManaged(policy: PolicySnapshot, clientId: string, token: string | undefined): Promise<FoundClient> {
    const found =
      token === undefined
        ? null
        : await this.#registry.findManaged(policy.instanceId, clientId, await hashToken(token));
    if (found && !found.isDisabled) return found;
    throw new OAuthError("invalid_registration_token", {
      reason: found ? "client_disabled" : "registration_token_wrong",
    });
  }
}

/** What a registration asks for and what the policy leaves of it. */
function describe(policy: PolicySnapshot, body: unknown): { metadata: ClientMetadata; described: Omit<Client, "id"> } {
  const { settings } = policy;
  if (settings.registration === "off") admit(settings, []);
  const metadata = parseClientMetadata(body, settings.dynamicScopes);
  const { redirectUris, isPending } = admit(settings, metadata.redirectUris);
  const described = {
    kind: "dynamic" as const,
    name: metadata.name,
    clientUri: metadata.clientUri,
    redirectUris,
    scopes: parseScopes(metadata.scope.join(" ")),
    tokenEndpointAuthMethod: metadata.tokenEndpointAuthMethod,
    isPublic: metadata.isPublic,
    keys: metadata.keys,
    isPending,
  };
  return { metadata, described };
}
