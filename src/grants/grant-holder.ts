/** The person who gave a grant, as their account is now. */
export interface GrantHolder {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** They signed in at the organisation's SSO, which refuses addresses that it calls unverified. */
  readonly isAccountLinked: boolean;
}

export interface GrantHolders {
  /** The person behind a grant that has not ended, whose client is enabled and who is active; `null` otherwise. */
  holder(instanceId: number, grantId: string): Promise<GrantHolder | null>;
}
