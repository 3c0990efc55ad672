/** A name that another system has for a person (RFC 9493 §3.2). */
export type NamedSubject =
  /** An account at an identity provider. */
  | { readonly kind: "account"; readonly issuer: string; readonly subject: string }
  | { readonly kind: "email"; readonly email: string }
  /** An id of this instance: the person's, or their directory user's. */
  | { readonly kind: "id"; readonly id: string };

/** People by the names that other systems have for them. */
export interface NamedPeople {
  /**
   * Finds the person that is meant (docs/identity.md): by an account that signs in here or is linked, an email address or an id.
   * Never creates anybody.
   *
   * @param subjects who may be meant, best first
   * @returns `null` if nobody is meant, and for released people
   */
  named(
    instanceId: number,
    subjects: readonly NamedSubject[],
  ): Promise<{ readonly id: string; readonly email: string } | null>;
}
