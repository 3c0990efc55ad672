import { D1Store } from "#platform/d1.ts";
import { IS_MACHINE } from "./machine.sql.ts";

/** A name that another system has for a person (RFC 9493 §3.2). */
export type NamedSubject =
  /** An account at an identity provider. */
  | { readonly kind: "account"; readonly issuer: string; readonly subject: string }
  | { readonly kind: "email"; readonly email: string }
  /** An id of this instance: the person's, or their directory user's. */
  | { readonly kind: "id"; readonly id: string };

/** Queries for the ids of people, each of which uses an index. ?1 is the instance, ?2 and ?3 the subject. */
const PERSON_IDS: Readonly<Record<NamedSubject["kind"], string>> = {
  account: `SELECT id FROM people WHERE instance_id = ?1 AND sso_issuer = ?2 AND sso_subject = ?3
    UNION ALL SELECT person_id FROM linked_accounts WHERE instance_id = ?1 AND issuer = ?2 AND subject = ?3`,
  email: "SELECT id FROM people WHERE instance_id = ?1 AND email = ?2 AND ?3 = ''",
  id: "SELECT ?2 WHERE ?3 = '' UNION ALL SELECT person_id FROM directory_users WHERE id = ?2 AND instance_id = ?1",
};

export class D1NamedPeople extends D1Store {
  /**
   * Finds the person that is meant (docs/identity.md): by an account that signs in here or is linked, an email address or an id.
   * Never creates anybody.
   *
   * @param subjects who may be meant, best first
   * @returns `null` if nobody is meant, and for released people
   */
  async named(
    instanceId: number,
    subjects: readonly NamedSubject[],
  ): Promise<{ readonly id: string; readonly email: string; readonly ssoIssuer: string | null } | null> {
    for (const subject of subjects) {
      const person = await this.first<{ id: string; email: string; ssoIssuer: string | null }>(
        `SELECT id, email, sso_issuer AS ssoIssuer FROM people
         WHERE instance_id = ?1 AND released_at IS NULL AND NOT ${IS_MACHINE} AND id IN (${PERSON_IDS[subject.kind]}) LIMIT 1`,
        [instanceId, ...valuesOf(subject)],
      );
      if (person) return person;
    }
    return null;
  }
}

function valuesOf(subject: NamedSubject): readonly [string, string] {
  if (subject.kind === "account") return [subject.issuer, subject.subject];
  return [subject.kind === "email" ? subject.email : subject.id, ""];
}
