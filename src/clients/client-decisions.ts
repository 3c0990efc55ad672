import type { AuditEntry } from "#audit/audit.ts";
import type { Client } from "./client.ts";
import type { ClientKeys } from "./client-keys.ts";
import type { ClientProof } from "./client-proof.ts";
import type { NewClient } from "./new-client.ts";

/** What an administrator may change of a client; keys only if it has keys; of a document's client only its requirements. */
export type ClientChanges = Partial<Pick<Client, "name" | "redirectUris" | "scopes" | "requirements">> & {
  readonly keys?: ClientKeys;
};

/** A client as it was when somebody looked at it. */
export type ClientVersion = Pick<Client, "id" | "changedAt">;

/** What can be decided about a client as a whole, by its event. */
export type DecisionEvent =
  | "client_approved"
  | "client_denied"
  | "client_disabled"
  | "client_enabled"
  | "client_removed";

/** A decision about the client that its entry names. */
export interface ClientDecision {
  readonly entry: AuditEntry<DecisionEvent>;
  /** The version that somebody saw, which an approval asks for. */
  readonly changedAt?: number | undefined;
}

/** Apps that administrators of one instance make; far beyond what one organisation has. */
export const MADE_PER_INSTANCE = 1000;

/**
 * What administrators decide about clients. Each decision is one conditional statement with its audit entry in the same batch;
 * `false` says that its condition did not hold, and that nothing was written.
 */
export interface ClientDecisions {
  /** @param isNameNew whether no other client that an administrator made may have its name */
  create(
    instanceId: number,
    client: NewClient,
    isNameNew: boolean,
    entry: AuditEntry<"client_created">,
  ): Promise<boolean>;
  /** Changes an enabled client that is still as it was seen. */
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
   * Carries out decisions of one administrator at one moment, about one client each, in one transaction and with as many statements for
   * fifty clients as for one. A pending client is approved only if it is still as seen; a deleted one loses its grants.
   *
   * @returns the ids of the clients whose decision's condition held
   */
  decide(decisions: readonly ClientDecision[]): Promise<ReadonlySet<string>>;
}
