import type { TokenHash } from "#crypto/hash.ts";
import type { Client, ClientDescription } from "./client.ts";
import type { NewClient } from "./new-client.ts";

/** What a client that registered itself wants to be from now on. */
export interface RegistrationChange extends ClientDescription {
  readonly isPending: boolean;
  /** Whether it stays within what an administrator approved; where it does not, the approval is void. */
  readonly keepsApproval: boolean;
}

/** Clients that registered themselves. */
export interface Registrations {
  /** Adds a client; of those with its fingerprint that nobody has used, only the newest stay. */
  add(instanceId: number, client: NewClient, unusedMax: number): Promise<void>;
  /** The client that a registration token manages, disabled or not. */
  findManaged(instanceId: number, clientId: string, registrationTokenHash: TokenHash): Promise<Client | null>;
  /**
   * Replaces what a client registered, unless it is disabled or has changed since it was read: an administrator may have decided
   * about it in between.
   *
   * @returns whether it did
   */
  replace(instanceId: number, client: Client, change: RegistrationChange, now: number): Promise<boolean>;
  /** Deletes a client and ends its grants. */
  remove(instanceId: number, clientId: string, actor: string, now: number): Promise<void>;
  /** Deletes clients that no administrator made or approved, and that nobody has ever allowed, at most so many; how many. */
  sweep(createdBefore: number, rowsMax: number): Promise<number>;
}
