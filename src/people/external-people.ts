/** The person that a token of an external issuer stands for, and what it says about them. */
export interface ExternalIdentity {
  /**
   * The person's address, the account that asserts it and the domains whose people the issuer speaks for, or the issuer and subject
   * under which they sign in here.
   */
  readonly person:
    | { readonly email: string; readonly account: Account; readonly emailDomains: readonly string[] }
    | { readonly issuer: string; readonly subject: string };
  readonly name: string | undefined;
  /** `undefined` where the issuer is not asked for groups, or the token has none to give. */
  readonly groups: readonly string[] | undefined;
  /** Whether these are the directory's groups, or this issuer's own. */
  readonly groupsMeetDirectory: boolean;
}

/** An account at an identity provider. */
export interface Account {
  readonly issuer: string;
  readonly subject: string;
  /** Whether the subject is what the same issuer's ID tokens call `sub`. */
  readonly isSignInSubject: boolean;
}

/** The person behind an identity; `taken` if another account of the same provider has the email. */
export type PersonLookup =
  | {
      readonly personId: string;
      readonly email: string;
      readonly isDeactivated: boolean;
      /** When they were last signed out everywhere. */
      readonly signedOutAt: number | null;
    }
  | "unknown"
  | "taken";

export interface ExternalPeople {
  /**
   * Finds the person of a verified identity. The first token of an account links it to the person of its email, who is made known
   * as by a first sign-in; from then on the account means that person, whatever email it asserts, and no other account of the
   * provider does. A linked account's person is one read, and nothing is written, unless the token brings groups: these are kept,
   * unless newer ones were read since, or the issuer does not speak for the person's domain.
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

/** People, looked at and left as they are. */
export interface KnownPeople {
  /**
   * Finds the person behind an identity without creating one.
   *
   * @param issuedAt when the token that says so was issued
   */
  look(instanceId: number, person: ExternalIdentity["person"], issuedAt: number): Promise<PersonLookup>;
}
