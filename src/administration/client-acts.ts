import type { D1ClientDirectory } from "#clients/client-directory.d1.ts";
import type { D1ClientDecisions } from "#clients/client-decisions.d1.ts";
import {
  type AuthenticationMethod,
  type Client,
  type ClientDescription,
  hasSecret,
  type NewClient,
  proofOf,
  proofOfSecret,
} from "#clients/client.ts";
import {
  type ClientChanges,
  type ClientVersion,
  type DecisionEvent,
  MADE_PER_INSTANCE,
} from "#clients/client-decisions.ts";
import { requireDescription } from "#clients/client-description.ts";
import { keysMissing } from "#clients/client-keys.ts";
import { randomId, randomSecret } from "#crypto/secrets.ts";
import { epochSeconds } from "#platform/clock.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Acts } from "./acts.ts";

/** A client as an administrator creates it. */
export type NewClientDescription = Pick<
  ClientDescription,
  "name" | "redirectUris" | "scopes" | "tokenEndpointAuthMethod"
> &
  Partial<Pick<ClientDescription, "keys"> & Pick<Client, "requirements" | "mayExchangeTokens">> & {
    /**
     * Whether to refuse a name that another client made by an administrator has. If two people create it at once, only one succeeds.
     */
    readonly isNameNew?: boolean;
  };

/**
 * The outcome of an approval: the client may have changed since it was looked at, or somebody else may have decided already.
 */
export type Approval = "approved" | "changed" | "not-waiting";

interface Parts {
  readonly decisions: D1ClientDecisions;
  readonly directory: Pick<D1ClientDirectory, "find">;
}

/**
 * Decisions about clients: those that administrators create, those that register, and those that a metadata document describes.
 */
export class ClientActs extends Acts<Parts> {
  /**
   * Creates a client.
   *
   * @returns the client, and its secret if it has one, which is shown only this once
   * @throws {AdministrationRefused} naming the member that is wrong
   */
  async create({
    isNameNew = false,
    ...wanted
  }: NewClientDescription): Promise<{ client: NewClient; secret: string | undefined }> {
    const description = requireDescription(wanted);
    const { keys = null } = description;
    if ((keys !== null) !== (description.tokenEndpointAuthMethod === "private_key_jwt")) {
      throw keysMissing();
    }
    requireConfidential(description, description.tokenEndpointAuthMethod);
    const secret = hasSecret(description) ? randomSecret() : undefined;
    const id = randomId();
    const client: NewClient = {
      ...description,
      id,
      kind: "static",
      app: id,
      variant: null,
      clientUri: null,
      policyUri: null,
      tosUri: null,
      isPublic: description.tokenEndpointAuthMethod === "none",
      keys,
      requirements: description.requirements ?? [],
      mayExchangeTokens: description.mayExchangeTokens ?? false,
      declaredRequirements: [],
      isPending: false,
      proof: await proofOf(keys, secret),
      registrationTokenHash: null,
      caller: null,
      createdAt: epochSeconds(),
    };
    const entry = this.entry("client_created", { clientId: client.id, ...description });
    if (!(await this.parts.decisions.create(client, isNameNew, entry))) {
      throw isNameNew
        ? new AdministrationRefused(
            `There is an app called ${client.name} already, or there are ${MADE_PER_INSTANCE} apps`,
            "name",
          )
        : new AdministrationRefused(`There are ${MADE_PER_INSTANCE} apps already: delete what nobody uses`);
    }
    await this.concluded(true);
    return { client, secret };
  }

  /**
   * Changes an enabled client. Scopes can be changed only if an administrator created the client. Removed scopes disappear from
   * existing access tokens within the age of a policy snapshot, and are missing from refreshed tokens.
   *
   * @param seen the client as the administrator saw it, so that nobody undoes somebody else's change by accident
   * @throws {AdministrationRefused} naming the member that is wrong
   */
  async change(seen: Client, wanted: ClientChanges): Promise<void> {
    if (wanted.scopes !== undefined && seen.kind !== "static") {
      throw new AdministrationRefused(
        "No administrator created this client: restrict dynamicScopes for all such clients, or disable it",
        "scopes",
      );
    }
    const { requirements: _, ...described } = wanted;
    if (seen.kind === "document" && Object.keys(described).length > 0) {
      throw new AdministrationRefused("This client has a metadata document: you can change it only there");
    }
    if (wanted.keys !== undefined && (seen.kind !== "static" || seen.keys === null)) {
      throw new AdministrationRefused("This app has no keys: create another one with keys", "keys");
    }
    if (seen.kind !== "static" && wanted.mayExchangeTokens !== undefined) throw exchangeRefused();
    requireConfidential(wanted, seen.tokenEndpointAuthMethod);
    const changes = requireDescription(wanted);
    const { name, redirectUris, scopes, requirements, mayExchangeTokens, keys } = seen;
    const before = { name, redirectUris, scopes, requirements, mayExchangeTokens, ...(keys === null ? {} : { keys }) };
    const entry = this.entry("client_changed", { clientId: seen.id, before, after: changes });
    const changed = await this.parts.decisions.change(seen, changes, entry);
    if (!changed) throw await this.#refusal(seen.id, "Somebody else changed this client: reload it, then try again");
    await this.concluded(true);
  }

  /**
   * Replaces the secret of an enabled client that an administrator created. The old secret stops working.
   *
   * @returns the new secret, which is shown only this once
   * @throws {AdministrationRefused} for a client that has none, or that registered itself: only the app could get it a new one
   */
  async rotateSecret(clientId: string): Promise<string> {
    const secret = randomSecret();
    const entry = this.entry("client_secret_rotated", { clientId });
    const replaced = await this.parts.decisions.replaceSecret(clientId, await proofOfSecret(secret), entry);
    if (!replaced) throw await this.#refusal(clientId, "This client has no secret that an administrator gave it");
    await this.concluded(true);
    return secret;
  }

  /**
   * Approves a client that no administrator created. It no longer waits, and stays usable while the policy accepts no app.
   *
   * @param seen the client as the administrator saw it; a client that has changed since then is not approved
   */
  async approve(seen: ClientVersion): Promise<Approval> {
    if (await this.#decide(seen, "client_approved")) return "approved";
    const current = await this.parts.directory.find(this.instance.id, seen.id);
    return current && current.kind !== "static" && !current.isApproved && !current.isDisabled
      ? "changed"
      : "not-waiting";
  }

  /** Denies a client that waits for approval. @returns whether it was waiting */
  deny(id: string): Promise<boolean> {
    return this.#decide({ id }, "client_denied");
  }

  /**
   * Disables a client of any kind: nobody can authorize it, and its access tokens are refused within the age of a policy snapshot.
   *
   * @returns whether it was enabled until now
   */
  disable(id: string): Promise<boolean> {
    return this.#decide({ id }, "client_disabled");
  }

  /**
   * Enables a disabled client again, with everything that people had allowed it.
   *
   * @returns whether it was disabled until now
   */
  enable(id: string): Promise<boolean> {
    return this.#decide({ id }, "client_enabled");
  }

  /**
   * Deletes a client of any kind, with its grants.
   *
   * @returns whether there was one
   * @throws {AdministrationRefused} if a service account signs in with it
   */
  async remove(id: string): Promise<boolean> {
    if (await this.#decide({ id }, "client_removed")) return true;
    if (!(await this.parts.directory.find(this.instance.id, id))) return false;
    throw new AdministrationRefused(
      "A service account signs in with this app: delete the account or change how it signs in, or disable the app",
    );
  }

  async #decide(
    { id, changedAt }: Pick<ClientVersion, "id"> & Partial<ClientVersion>,
    event: DecisionEvent,
  ): Promise<boolean> {
    const entry = this.entry(event, { clientId: id });
    return this.concluded(await this.parts.decisions.carryOut(entry, changedAt));
  }

  /** Explains why a statement that requires an enabled client changed nothing. */
  async #refusal(clientId: string, otherwise: string): Promise<AdministrationRefused> {
    const client = await this.parts.directory.find(this.instance.id, clientId);
    if (!client) return new AdministrationRefused("There is no such client: it was deleted");
    return new AdministrationRefused(client.isDisabled ? "This client is disabled: enable it first" : otherwise);
  }
}

/** Requires that an app which may exchange tokens authenticates itself: anybody can claim to be a public one. */
function requireConfidential({ mayExchangeTokens = false }: Partial<Client>, method: AuthenticationMethod): void {
  if (mayExchangeTokens && method === "none") throw exchangeRefused();
}

function exchangeRefused(): AdministrationRefused {
  return new AdministrationRefused(
    "Only a confidential app that an administrator created can act with other apps’ access",
    "mayExchangeTokens",
  );
}
