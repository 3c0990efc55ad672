/** How somebody outside names a person (RFC 9493 §3.2). */
export type NamedSubject =
  /** An account at an identity provider. */
  | { readonly kind: "account"; readonly issuer: string; readonly subject: string }
  | { readonly kind: "email"; readonly email: string }
  /** An id of this instance: the person's, or that of their user in a directory. */
  | { readonly kind: "id"; readonly id: string };

/** People as others name them. */
export interface NamedPeople {
  /**
   * The person that is meant (docs/identity.md): by an account that signs in here or is linked, an email address or an id. Nobody is
   * created.
   *
   * @param subjects what may be meant, best first
   * @returns `null` where nobody is meant, and for released people
   */
  named(
    instanceId: number,
    subjects: readonly NamedSubject[],
  ): Promise<{ readonly id: string; readonly email: string } | null>;
}
