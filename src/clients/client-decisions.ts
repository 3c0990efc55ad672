import type { AuditEntry } from "#audit/audit.ts";
import type { Client } from "./client.ts";
import type { ClientKeys } from "./client-keys.ts";
import type { ClientProof } from "./client-proof.ts";
import type { NewClient } from "./new-client.ts";

/** What an administrator may change: keys only of a client that has keys; of a document's client, only its requirements. */
export type ClientChanges = Partial<Pick<Client, "name" | "redirectUris" | "scopes" | "requirements">> & {
  readonly keys?: ClientKeys;
};

/** The version of a client that somebody looked at. */
export type ClientVersion = Pick<Client, "id" | "changedAt">;

/** The decisions about a client as a whole, named by their audit events. */
export type DecisionEvent =
  | "client_approved"
  | "client_denied"
  | "client_disabled"
  | "client_enabled"
  | "client_removed";

/** A decision about the client that its entry names. */
export interface ClientDecision {
  readonly entry: AuditEntry<DecisionEvent>;
  /** The version that somebody saw. An approval requires that it is still current. */
  readonly changedAt?: number | undefined;
}

/** The most apps that administrators of one instance create; far more than one organisation has. */
export const MADE_PER_INSTANCE = 1000;

/**
 * The decisions of administrators about clients. Each decision is one conditional statement with its audit entry in the same
 * batch. `false` means that its condition was not met, and that nothing was written.
 */
export interface ClientDecisions {
  /** @param isNameNew whether its name must differ from those of all other clients that administrators created */
  create(
    instanceId: number,
    client: NewClient,
    isNameNew: boolean,
    entry: AuditEntry<"client_created">,
  ): Promise<boolean>;
  /** Changes an enabled client if it is still as it was seen. */
  change(
    instanceId: number,
    seen: ClientVersion,
    changes: ClientChanges,
    entry: AuditEntry<"client_changed">,
  ): Promise<boolean>;
  /** Replaces the secret of an enabled client that has one. */
  replaceSecret(
    instanceId: number,
    clientId: string,
    proof: ClientProof,
    entry: AuditEntry<"client_secret_rotated">,
  ): Promise<boolean>;
  /**
   * Carries out decisions that one administrator makes at one time, about one client each, in one transaction and with the same
   * number of statements for fifty clients as for one. A pending client is approved only if it is still as it was seen; a deleted
   * one loses its grants.
   *
   * @returns the ids of the clients whose decision's condition was met
   */
  decide(decisions: readonly ClientDecision[]): Promise<ReadonlySet<string>>;
}
