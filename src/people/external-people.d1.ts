import { D1Store, firstRow, rowsOf, runBatch } from "#platform/d1.ts";
import type { Account, ExternalIdentity, ExternalPeople, PersonLookup } from "./external-people.ts";
import { isSsoOf, speaksForAnotherSso } from "#instance/instance.sql.ts";
import { IS_OF_ISSUER } from "./issuer-groups.sql.ts";
import { addPerson } from "./new-person.sql.ts";

interface Row {
  readonly id: string;
  readonly email: string;
  readonly deactivated_at: number | null;
  readonly signed_out_at: number | null;
}

type Subject = Pick<Account, "issuer" | "subject">;

/** The linked person: ?1 is the instance, ?2 the issuer, ?3 the subject. */
const LINKED = "SELECT person_id FROM linked_accounts WHERE instance_id = ?1 AND issuer = ?2 AND subject = ?3";

/**
 * The person that the account is linked to, for a token issued at ?6. After a person was released, only tokens from before the
 * release still mean them, because the account may belong to somebody else by now.
 */
const STANDING = `${LINKED} AND NOT EXISTS (SELECT 1 FROM people WHERE id = person_id AND released_at < ?6)`;

/** The person who signs in with an account; ?4 is whether its subject is the one that sign-ins use. */
const SIGNS_IN = "instance_id = ?1 AND ?4 AND sso_issuer = ?2 AND sso_subject = ?3";

/**
 * The person whose email address, ?5, was released after a token was issued at ?6: the token means them, never the next person with
 * that address.
 */
const RELEASED_SINCE = "SELECT id FROM people WHERE instance_id = ?1 AND released_email = ?5 AND released_at >= ?6";

/** The person's email address is in one of the domains of ?6. */
const IS_OF_DOMAINS = "substr(email, instr(email, '@') + 1) IN (SELECT value FROM json_each(?6))";

/**
 * The person signs in at one SSO, or has an address of its domain, and the account's issuer is another: its accounts are other people,
 * even if they were linked before both were SSOs.
 */
const IS_OF_ANOTHER_SSO = `(sso_issuer IS NOT ?2 AND ${isSsoOf("?1", "?2")}
  AND (${isSsoOf("?1", "people.sso_issuer")} OR ${speaksForAnotherSso("?1", "?2", "people.email")}))`;

/** People as the tokens of external issuers name them. */
export class D1ExternalPeople extends D1Store implements ExternalPeople {
  async find(
    instanceId: number,
    identity: ExternalIdentity,
    issuedAt: number,
    newPersonId: string,
    now: number,
  ): Promise<PersonLookup> {
    const { person, name, groups } = identity;
    // A linked account is found by reading alone. But a token with groups may have newer ones than are stored.
    if (groups === undefined) {
      const known = await firstRow<Row>(this.#looking(instanceId, person, issuedAt));
      if (known || !("email" in person)) return toFound(known, person);
    }
    const subject = "email" in person ? person.account : person;
    const statements: D1PreparedStatement[] = [];
    if ("email" in person) {
      const { email, account } = person;
      const bound = boundTo(instanceId, account, email, issuedAt);
      statements.push(
        this.statement(
          addPerson(
            { id: "?7", instance_id: "?1", email: "?5", name: "?8", created_at: "?9" },
            `NOT EXISTS (${STANDING}) AND NOT EXISTS (SELECT 1 FROM people WHERE ${SIGNS_IN})
               AND NOT EXISTS (${RELEASED_SINCE}) AND NOT EXISTS (SELECT 1 FROM people WHERE instance_id = ?1 AND email = ?5)
               AND NOT ${speaksForAnotherSso("?1", "?2", "?5")}`,
          ),
          [...bound, newPersonId, name ?? email, now],
        ),
        this.statement(
          `INSERT INTO linked_accounts (instance_id, issuer, subject, person_id, linked_at)
           SELECT ?1, ?2, ?3, id, ?7 FROM people
           WHERE ((${SIGNS_IN}) OR (instance_id = ?1 AND email = ?5 AND NOT (?4 AND sso_issuer IS ?2 AND sso_subject IS NOT ?3)
             AND NOT EXISTS (SELECT 1 FROM people WHERE ${SIGNS_IN})))
             AND NOT EXISTS (SELECT 1 FROM linked_accounts WHERE person_id = people.id AND issuer = ?2)
             AND NOT EXISTS (${RELEASED_SINCE})
             AND NOT ${IS_OF_ANOTHER_SSO} AND NOT ${speaksForAnotherSso("?1", "?2", "?5")}
           ON CONFLICT (instance_id, issuer, subject) DO UPDATE SET
             person_id = excluded.person_id, linked_at = ?7, groups_read_at = 0, signed_in = 0
           WHERE EXISTS (SELECT 1 FROM people WHERE id = person_id AND released_at < ?6)`,
          [...bound, now],
        ),
      );
    }
    statements.push(
      ...this.#keepGroups(instanceId, identity, subject, issuedAt),
      this.#looking(instanceId, person, issuedAt),
    );
    const results = await runBatch(this.database, statements);
    const [row] = rowsOf<Row>(results, statements.length - 1);
    return toFound(row ?? null, person);
  }

  /**
   * Finds the person behind an identity without creating one.
   *
   * @param issuedAt when the token was issued
   */
  async look(instanceId: number, person: ExternalIdentity["person"], issuedAt: number): Promise<PersonLookup> {
    const known = await firstRow<Row>(this.#looking(instanceId, person, issuedAt));
    if (known || !("email" in person)) return toFound(known, person);
    const { account, email } = person;
    const wouldLink = await this.first<Row & { readonly is_taken: number }>(
      `SELECT id, email, deactivated_at, signed_out_at, (
         EXISTS (SELECT 1 FROM linked_accounts WHERE person_id = people.id AND issuer = ?2)
           OR (?4 AND sso_issuer IS ?2 AND sso_subject IS NOT ?3)
           OR ${IS_OF_ANOTHER_SSO} OR ${speaksForAnotherSso("?1", "?2", "?5")}) AS is_taken
       FROM people WHERE (${SIGNS_IN}) OR (instance_id = ?1 AND email = ?5)
       ORDER BY sso_issuer IS ?2 AND sso_subject IS ?3 DESC LIMIT 1`,
      [instanceId, account.issuer, account.subject, account.isSignInSubject ? 1 : 0, email],
    );
    if (wouldLink) return wouldLink.is_taken === 1 ? "taken" : toFound(wouldLink, person);
    const speaks = `SELECT 1 WHERE ${speaksForAnotherSso("?1", "?2", "?3")}`;
    return (await this.first(speaks, [instanceId, account.issuer, email])) ? "taken" : "unknown";
  }

  /**
   * Stores the groups of a token. Groups of the directory replace the directory's; an issuer's own groups replace those of that issuer.
   */
  #keepGroups(
    instanceId: number,
    { groups, groupsMeetDirectory, person }: ExternalIdentity,
    { issuer, subject }: Subject,
    issuedAt: number,
  ): D1PreparedStatement[] {
    if (groups === undefined) return [];
    const isKept = groupsMeetDirectory ? IS_OF_ISSUER : "substr(value, 1, length(?2) + 1) <> lower(?2) || '|'";
    const merged = `(SELECT json_group_array(value) FROM (
      SELECT value FROM json_each(people.directory_groups) WHERE ${isKept} UNION SELECT value FROM json_each(?4)))`;
    // The provider's domains may have been narrowed since the account was linked. The token is refused then, and must not change groups.
    const [whose, ...domains] =
      "email" in person
        ? [`id = (${LINKED}) AND NOT ${IS_OF_ANOTHER_SSO} AND ${IS_OF_DOMAINS}`, JSON.stringify(person.emailDomains)]
        : ["instance_id = ?1 AND sso_issuer = ?2 AND sso_subject = ?3"];
    // An account that signs people in by its subject has no link that could store when its groups were read.
    const isOfDirectory = groupsMeetDirectory || !("email" in person);
    const isNewer = isOfDirectory
      ? "directory_read_at < ?5"
      : `coalesce((SELECT groups_read_at FROM linked_accounts
           WHERE instance_id = ?1 AND issuer = ?2 AND subject = ?3), 0) < ?5`;
    const readAt = isOfDirectory ? ", directory_read_at = ?5" : "";
    return [
      this.statement(
        `UPDATE people SET directory_groups = ${merged}${readAt} WHERE ${whose} AND ${isNewer} AND deactivated_at IS NULL`,
        [instanceId, issuer, subject, JSON.stringify(groups), issuedAt, ...domains],
      ),
      this.statement(
        `UPDATE linked_accounts SET groups_read_at = max(groups_read_at, ?4)
         WHERE instance_id = ?1 AND issuer = ?2 AND subject = ?3 AND changes() > 0`,
        [instanceId, issuer, subject, issuedAt],
      ),
    ];
  }

  #looking(instanceId: number, person: ExternalIdentity["person"], issuedAt: number): D1PreparedStatement {
    const row = "SELECT id, email, deactivated_at, signed_out_at FROM people WHERE";
    if (!("email" in person)) {
      return this.statement(`${row} instance_id = ?1 AND sso_issuer = ?2 AND sso_subject = ?3`, [
        instanceId,
        person.issuer,
        person.subject,
      ]);
    }
    const { account, email } = person;
    return this.statement(
      `${row} id = coalesce((${STANDING}), (${RELEASED_SINCE} LIMIT 1)) AND NOT ${IS_OF_ANOTHER_SSO}`,
      [...boundTo(instanceId, account, email, issuedAt)],
    );
  }
}

/** Returns the values of ?1 to ?6 in the statements about an account and its email address. */
function boundTo(instanceId: number, { issuer, subject, isSignInSubject }: Account, email: string, issuedAt: number) {
  return [instanceId, issuer, subject, isSignInSubject ? 1 : 0, email, issuedAt] as const;
}

function toFound(row: Row | null, person: ExternalIdentity["person"]): PersonLookup {
  if (row) {
    const { id: personId, email, deactivated_at: deactivatedAt, signed_out_at: signedOutAt } = row;
    return { personId, email, isDeactivated: deactivatedAt !== null, signedOutAt };
  }
  return "email" in person ? "taken" : "unknown";
}
