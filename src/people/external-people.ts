/** The person named by a token of an external issuer, and what the token says about them. */
export interface ExternalIdentity {
  /**
   * The person's email address, the account that asserts it and the domains that the issuer may speak for; or the issuer and
   * subject with which they sign in here.
   */
  readonly person:
    | { readonly email: string; readonly account: Account; readonly emailDomains: readonly string[] }
    | { readonly issuer: string; readonly subject: string };
  readonly name: string | undefined;
  /** `undefined` if the issuer is not asked for groups, or the token has none. */
  readonly groups: readonly string[] | undefined;
  /** Whether these are the directory's groups rather than this issuer's own. */
  readonly groupsMeetDirectory: boolean;
}

export interface Account {
  readonly issuer: string;
  readonly subject: string;
  /** Whether the subject is the `sub` of the same issuer's ID tokens. */
  readonly isSignInSubject: boolean;
}

/** The person behind an identity; `taken` if another account of the same provider has the email address. */
export type PersonLookup =
  | {
      readonly personId: string;
      readonly email: string;
      readonly isDeactivated: boolean;
      /** When they were last signed out everywhere, in milliseconds since 1970. */
      readonly signedOutAt: number | null;
    }
  | "unknown"
  | "taken";

export interface ExternalPeople {
  /**
   * Finds the person of a verified identity. The first token of an account links the account to the person with its email address,
   * who is created if necessary, as at a first sign-in. From then on the account means that person, whatever email address it
   * asserts, and no other account of the provider does. For a linked account this is one read and nothing is written, unless the
   * token brings groups: these are stored, unless newer ones were read since, or the issuer may not speak for the person's domain.
   *
   * @param issuedAt when the token was issued
   */
  find(
    instanceId: number,
    identity: ExternalIdentity,
    issuedAt: number,
    newPersonId: string,
    now: number,
  ): Promise<PersonLookup>;
}
