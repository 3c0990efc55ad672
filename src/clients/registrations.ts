import type { AppIdentity } from "./app-identity.ts";
import type { ClientDescription } from "./client.ts";

/**
 * The most registrations of one network at one instance that nobody has used: more than the people behind one host's servers
 * connect in an hour, and at most 5 MB of storage, because each takes up to 10 kB.
 */
export const UNUSED_PER_CALLER = 500;

/** The most registrations and documents at one instance that nobody has used: at most 50 MB, from all callers together. */
export const UNUSED_PER_INSTANCE = 5000;

/** How long a registration is kept in any case: time for a person to sign in and allow it, however many others register meanwhile. */
export const UNDISTURBED_SECONDS = 3600;

/** How long a client that registered itself is kept if nobody ever allows it. After that, it was only an attempt. */
export const UNUSED_CLIENT_SECONDS = 7 * 24 * 3600;

/** How long a self-registered client without a grant is kept after somebody last allowed it: half a year. */
export const ABANDONED_CLIENT_SECONDS = 180 * 24 * 3600;

/** The new metadata that a self-registered client asks for. */
export interface RegistrationChange extends ClientDescription, AppIdentity {
  /** Whether the policy lets it wait for approval. */
  readonly isPending: boolean;
  /** Whether it stays within what people could use until now. If not, it waits as a new one does. */
  readonly isSeen: boolean;
  /** Whether it stays within what an administrator approved. If not, the approval is void. */
  readonly keepsApproval: boolean;
}
