import type { TokenHash } from "#crypto/hash.ts";
import type { AppIdentity } from "./app-identity.ts";
import type { Client } from "./client.ts";
import type { ClientProof } from "./client-proof.ts";

/** A client to be stored, with the values that only the store keeps. */
export interface NewClient extends Omit<Client, "isApproved" | "isDisabled" | "changedAt"> {
  readonly variant: AppIdentity["variant"];
  readonly proof: ClientProof | null;
  /** The hash of the token that manages the registration; only its bearer may (RFC 7592). */
  readonly registrationTokenHash: TokenHash | null;
  /** The network that registered it, if known. */
  readonly caller: string | null;
}
