import type { RuledClient } from "#clients/allowed-scopes.ts";

/** The person who gave a grant, as their account is now. */
export interface GrantHolder {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Whether the organisation's SSO confirmed at their last sign-in that this address is theirs, and no directory has changed it since. */
  readonly isEmailVerified: boolean;
  /** The client that has the grant, as it is now. */
  readonly client: RuledClient;
}
