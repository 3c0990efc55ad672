/** More than the largest organisations have; who can mint accounts at a provider cannot fill the database with them. */
export const PEOPLE_PER_INSTANCE = 100_000;

/** A person as the organisation's SSO vouches for them. Issuer and subject are who they are; the rest describes them. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** What access tokens of the same issuer call the account, where that is not the subject; `undefined` where the SSO doesn't say. */
  readonly account: string | undefined;
  readonly email: string;
  readonly name: string;
  readonly groups: readonly string[];
  /** Whether the SSO says that the email is its holder's, or an administrator says so of every email of the SSO. */
  readonly isEmailVerified: boolean;
}

/** Where a sign-in comes from. */
export interface SignInOrigin {
  /** The app that sent the person; `undefined`: our own pages. */
  readonly clientId?: string | undefined;
  /** Their session at the SSO; many SSOs name none. */
  readonly ssoSession?: string | undefined;
}

/** What signing in leads to: the person's id, or why there is none. */
export type SignInOutcome =
  | {
      readonly outcome: "signed-in";
      readonly personId: string;
      /** How often the person and their session at the SSO had been signed out. What a sign-in opens requires that this is unchanged. */
      readonly signOuts: number;
    }
  | { readonly outcome: "deactivated"; readonly personId: string }
  /** Another subject of the SSO has this email. Merging the two would hand one person's documents to another. */
  | { readonly outcome: "email-taken" }
  /** There are {@link PEOPLE_PER_INSTANCE} already. */
  | { readonly outcome: "no-room" };

export interface People {
  /**
   * Records a sign-in: a new person, a known one, or one that an administrator added by email beforehand.
   *
   * @param newPersonId the id to use if the person is new
   */
  signIn(
    instanceId: number,
    identity: Identity,
    newPersonId: string,
    now: number,
    from?: SignInOrigin,
  ): Promise<SignInOutcome>;
}
