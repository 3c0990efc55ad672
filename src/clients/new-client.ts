import type { TokenHash } from "#crypto/hash.ts";
import type { Client } from "./client.ts";
import type { ClientProof } from "./client-proof.ts";

/** A client on its way into the store, with what only the store keeps. */
export interface NewClient extends Omit<Client, "isApproved" | "isDisabled" | "changedAt"> {
  readonly proof: ClientProof | null;
  /** For managing a registration; only its bearer may (RFC 7592). */
  readonly registrationTokenHash: TokenHash | null;
  /** The network that registered it, where that is known. */
  readonly caller: string | null;
}
