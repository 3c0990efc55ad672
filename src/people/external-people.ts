/** Whom a token of an external issuer stands for, and what it says of them. */
export interface ExternalIdentity {
  /** The person's address, or the issuer and subject under which they sign in here. */
  readonly person: { readonly email: string } | { readonly issuer: string; readonly subject: string };
  readonly name: string | undefined;
  /** `undefined` where the issuer is not asked for groups, or the token has none to give. */
  readonly groups: readonly string[] | undefined;
}

/** Whom an identity is here. */
export type PersonFound = { readonly personId: string; readonly isDeactivated: boolean } | "unknown";

export interface ExternalPeople {
  /**
   * Finds the person of a verified identity, in one round trip. Whoever is known by an email alone is made known, as a first
   * sign-in would; groups that the token brings are kept, unless the directory has been read since.
   *
   * @param issuedAt when the token was issued
   */
  find(
    instanceId: number,
    identity: ExternalIdentity,
    issuedAt: number,
    newPersonId: string,
    now: number,
  ): Promise<PersonFound>;
}

/** People, looked at and left as they are. */
export interface KnownPeople {
  /** Whom an identity is here; nobody is made known by asking. */
  look(instanceId: number, person: ExternalIdentity["person"]): Promise<PersonFound>;
}
