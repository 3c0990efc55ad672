import type { TokenHash } from "#crypto/hash.ts";
import type { Client, ClientDescription } from "./client.ts";
import type { NewClient } from "./new-client.ts";

/**
 * Registrations of one network at one instance that nobody has used: more than the people behind one host's servers connect in
 * an hour, and at most 5 MB of storage, as one takes up to 10 kB.
 */
export const UNUSED_PER_CALLER = 500;

/** Registrations and documents at one instance that nobody has used: at most 50 MB, from all callers together. */
export const UNUSED_PER_INSTANCE = 5000;

/** Time for a person to sign in and allow, however many others register meanwhile. */
export const UNDISTURBED_SECONDS = 3600;

/** The new metadata that a self-registered client asks for. */
export interface RegistrationChange extends ClientDescription {
  readonly isPending: boolean;
  /** Whether it stays within what an administrator approved; where it does not, the approval is void. */
  readonly keepsApproval: boolean;
}

/** Clients that registered themselves. */
export interface Registrations {
  /**
   * Adds a client, unless its caller or the instance has too many that nobody has used. To make room, the oldest of those leave that
   * are older than {@link UNDISTURBED_SECONDS}, wait for no administrator, and have no sign-in under way.
   *
   * @returns whether it did
   */
  add(instanceId: number, client: NewClient): Promise<boolean>;
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
  /** Deletes clients that nobody has allowed since then, and that have no grant left, at most so many; how many. */
  sweepAbandoned(allowedBefore: number, rowsMax: number): Promise<number>;
}
