import type { AuditEntry } from "#audit/audit.ts";
import type { Client } from "./client.ts";
import type { ClientKeys } from "./client-keys.ts";
import type { ClientProof } from "./client-proof.ts";
import type { NewClient } from "./new-client.ts";

/** What an administrator may change of a client; keys only of one that has keys. */
export type ClientChanges = Partial<Pick<Client, "name" | "redirectUris" | "scopes">> & { readonly keys?: ClientKeys };

/** A client as it was when somebody looked at it. */
export type ClientVersion = Pick<Client, "id" | "changedAt">;

/** Apps that administrators of one instance make; far beyond what one organisation has. */
export const MADE_PER_INSTANCE = 1000;

/**
 * What administrators decide about clients. Each decision is one conditional statement with its audit entry in the same batch;
 * `false` says that its condition did not hold, and that nothing was written.
 */
export interface ClientDecisions {
  create(instanceId: number, client: NewClient, entry: AuditEntry<"client_created">): Promise<boolean>;
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
  /** Lets in a client that waits and is still as it was seen. */
  approve(instanceId: number, seen: ClientVersion, entry: AuditEntry<"client_approved">): Promise<boolean>;
  /** Turns away, for good, a client that waits. */
  deny(instanceId: number, clientId: string, entry: AuditEntry<"client_denied">): Promise<boolean>;
  disable(instanceId: number, clientId: string, entry: AuditEntry<"client_disabled">): Promise<boolean>;
  enable(instanceId: number, clientId: string, entry: AuditEntry<"client_enabled">): Promise<boolean>;
  /** Deletes a client, ends its grants, and forgets what people allowed it. */
  remove(instanceId: number, clientId: string, entry: AuditEntry<"client_removed">): Promise<boolean>;
}
