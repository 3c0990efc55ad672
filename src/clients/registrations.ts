import type { TokenHash } from "#crypto/hash.ts";
import type { Client, ClientDescription } from "./client.ts";
import type { NewClient } from "./new-client.ts";

/**
 * The most registrations of one network at one instance that nobody has used: more than the people behind one host's servers
 * connect in an hour, and at most 5 MB of storage, because each takes up to 10 kB.
 */
export const UNUSED_PER_CALLER = 500;

/** The most registrations and documents at one instance that nobody has used: at most 50 MB, from all callers together. */
export const UNUSED_PER_INSTANCE = 5000;

/** How long a registration is kept in any case: time for a person to sign in and allow it, however many others register meanwhile. */
export const UNDISTURBED_SECONDS = 3600;

/** The new metadata that a self-registered client asks for. */
export interface RegistrationChange extends ClientDescription {
  readonly isPending: boolean;
  /** Whether it stays within what an administrator approved. If not, the approval is void. */
  readonly keepsApproval: boolean;
}

/** Clients that registered themselves. */
export interface Registrations {
  /**
   * Adds a client, unless its caller or the instance has too many that nobody has used. To make room, the oldest of those are
   * deleted that are older than {@link UNDISTURBED_SECONDS}, do not wait for an administrator, and have no pending sign-in.
   *
   * @returns whether it was added
   */
  add(instanceId: number, client: NewClient): Promise<boolean>;
  /** Finds the client that a registration token manages, disabled or not. */
  findManaged(instanceId: number, clientId: string, registrationTokenHash: TokenHash): Promise<Client | null>;
  /**
   * Replaces what a client registered, unless it is disabled or has changed since it was read: an administrator may have decided
   * about it in between.
   *
   * @returns whether it was replaced
   */
  replace(instanceId: number, client: Client, change: RegistrationChange, now: number): Promise<boolean>;
  /** Deletes a client and ends its grants. */
  remove(instanceId: number, clientId: string, actor: string, now: number): Promise<void>;
  /** Deletes clients that no administrator created or approved and that nobody has ever allowed, up to a limit. Returns how many. */
  sweep(createdBefore: number, rowsMax: number): Promise<number>;
  /** Deletes clients that nobody has allowed since then and that have no grant left, up to a limit. Returns how many. */
  sweepAbandoned(allowedBefore: number, rowsMax: number): Promise<number>;
}
