import type { AuditEntry } from "#audit/audit.ts";
import { awaitConsent } from "#authorization-requests/await-consent.sql.ts";
import { AuditedStore, recordAs } from "#audit/audited-store.sql.ts";
import { isSsoOf, speaksForAnotherSso } from "#instance/instance.sql.ts";
import { rowsOf, runBatch, type Statement } from "#platform/d1.ts";
import type { Identity, SignInOrigin, SignInOutcome } from "./people.ts";
import { IS_OF_ISSUER } from "./issuer-groups.sql.ts";
import { hasRoom } from "./new-person.sql.ts";
import { signOutsOf } from "#spent-ids/sign-outs.sql.ts";

/**
 * The condition that the SSO (?2) is connected to the instance (?1). An isolate that doesn't know yet that it was removed must not let
 * anybody in, because what it gave would last.
 */
const IS_CONNECTED = isSsoOf("?1", "?2");

/** The person who has just signed in: ?1 is the instance, ?2 to ?4 the issuer, the subject and the email address. */
const IS_SIGNED_IN = `instance_id = ?1 AND sso_issuer = ?2 AND sso_subject = ?3 AND email = ?4 AND ${IS_CONNECTED}`;

/**
 * Signs people in, in one transaction. A released account counts as nobody's. The statements claim the row that this account's
 * tokens were linked to, or else the row with this email address that no account of this SSO has (a row with a role only by a
 * verified address); none of these may have an address of another SSO's domain. Otherwise they insert or update a row by issuer and
 * subject, unless the address belongs to another subject. Then they link the account, so that no other account of the SSO is ever
 * linked, and read the row.
 */
export class D1People extends AuditedStore {
  /**
   * Records the sign-in of a new person, a known one, or one that an administrator added by email address beforehand.
   *
   * @param newPersonId the id to use if the person is new
   */
  async signIn(
    instanceId: number,
    identity: Identity,
    newPersonId: string,
    now: number,
    { clientId, ssoSession, signedInAt = now, request }: SignInOrigin = {},
  ): Promise<SignInOutcome> {
    const { issuer, subject, email, name } = identity;
    const account = identity.account ?? subject;
    const groups = JSON.stringify(identity.groups);
    const groupsMeetDirectory = identity.groupsMeetDirectory ? 1 : 0;
    const isEmailVerified = identity.isEmailVerified ? 1 : 0;
    const isReleased = "EXISTS (SELECT 1 FROM people WHERE id = person_id AND released_at IS NOT NULL)";
    const linked = `SELECT person_id FROM linked_accounts WHERE instance_id = ?1 AND issuer = ?2 AND subject = ?6 AND NOT ${isReleased}`;
    // A request is part of this transaction, so no sign-out can come in between.
    const signOuts = request ? "0" : signOutsOf("people.id", "?1", "?5");
    const person = {
      sql: `SELECT id FROM people WHERE ${IS_SIGNED_IN} AND deactivated_at IS NULL`,
      bound: [instanceId, issuer, subject, email],
    };
    const statements = [
      this.statement(
        `UPDATE people SET sso_issuer = ?2, sso_subject = ?3
         WHERE instance_id = ?1 AND sso_subject IS NULL AND released_at IS NULL
           AND (id = (${linked}) OR (email = ?4 AND (?5 OR role IS NULL) AND NOT EXISTS (${linked})
             AND NOT EXISTS (SELECT 1 FROM linked_accounts l
               WHERE l.person_id = people.id AND (l.issuer = ?2 OR ${isSsoOf("?1", "l.issuer")}))))
           AND NOT EXISTS (SELECT 1 FROM people WHERE instance_id = ?1 AND sso_issuer = ?2 AND sso_subject = ?3)
           AND ${IS_CONNECTED} AND NOT ${speaksForAnotherSso("?1", "?2", "people.email")}`,
        [instanceId, issuer, subject, email, isEmailVerified, account],
      ),
      this.statement(
        `INSERT INTO people (id, instance_id, sso_issuer, sso_subject, email, email_verified, name, directory_groups,
           directory_read_at, created_at, last_sign_in_at)
         SELECT ?5, ?1, ?2, ?3, ?4, ?9, ?6, ?7, ?8, ?8, ?8
         WHERE NOT EXISTS (SELECT 1 FROM people
             WHERE instance_id = ?1 AND email = ?4 AND NOT (sso_issuer IS ?2 AND sso_subject IS ?3))
           AND (EXISTS (SELECT 1 FROM people WHERE instance_id = ?1 AND sso_issuer = ?2 AND sso_subject = ?3)
             OR ${hasRoom("?1")})
           AND ${IS_CONNECTED}
         ON CONFLICT (instance_id, sso_issuer, sso_subject) DO UPDATE SET
           email = excluded.email, email_verified = excluded.email_verified, name = excluded.name,
           directory_groups = (SELECT json_group_array(value) FROM (
             SELECT value FROM json_each(?7)
             UNION SELECT value FROM json_each(people.directory_groups) WHERE ${IS_OF_ISSUER}
               AND (?10 OR substr(value, 1, length(?2) + 1) <> lower(?2) || '|'))),
           directory_read_at = excluded.directory_read_at, last_sign_in_at = excluded.last_sign_in_at`,
        [instanceId, issuer, subject, email, newPersonId, name, groups, now, isEmailVerified, groupsMeetDirectory],
      ),
      // Unlink a released account only if the sign-in succeeds. A refused sign-in must not make the account's tokens from before
      // the release valid again.
      this.statement(
        `DELETE FROM linked_accounts WHERE instance_id = ?1 AND issuer = ?2 AND subject = ?5 AND ${isReleased}
         AND EXISTS (SELECT 1 FROM people WHERE ${IS_SIGNED_IN})`,
        [instanceId, issuer, subject, email, account],
      ),
      ...this.#link(instanceId, identity, now),
      this.#recordSignIn(instanceId, identity, now, clientId),
      ...(request ? [awaitConsent(this.database, request, person, { ssoSession, signedInAt })] : []),
      this.statement(
        `SELECT id, deactivated_at, ${signOuts} AS sign_outs
         FROM ${request ? "(SELECT 1 WHERE changes() = 0) CROSS JOIN" : ""} people WHERE ${IS_SIGNED_IN}`,
        [instanceId, issuer, subject, email, ...(request ? [] : [ssoSession ?? null])],
      ),
    ];
    const results = await runBatch(this.database, statements);
    const last = statements.length - 1;
    const [awaited] = request ? rowsOf<{ person_id: string }>(results, last - 1) : [];
    if (awaited) return { outcome: "signed-in", personId: awaited.person_id, signOuts: 0 };
    const [row] = rowsOf<{ id: string; deactivated_at: number | null; sign_outs: number }>(results, last);
    if (!row) return { outcome: await this.#whyNobody(instanceId, identity) };
    if (row.deactivated_at !== null) return { outcome: "deactivated", personId: row.id };
    if (request) return { outcome: "request-gone" };
    return { outcome: "signed-in", personId: row.id, signOuts: row.sign_outs };
  }

  #recordSignIn(
    instanceId: number,
    { issuer, subject, email }: Identity,
    at: number,
    clientId: string | undefined,
  ): Statement {
    const detail = { email, issuer, ...(clientId === undefined ? {} : { clientId }) };
    const entry: AuditEntry<"signed_in"> = { instanceId, at, actor: "", event: "signed_in", detail };
    return recordAs(this.database, entry, {
      condition: `FROM people WHERE instance_id = ?1 AND sso_issuer = ?6 AND sso_subject = ?7 AND email = ?8 AND deactivated_at IS NULL
        AND ${isSsoOf("?1", "?6")}`,
      actor: "id",
      bound: [issuer, subject, email],
    });
  }

  async #whyNobody(
    instanceId: number,
    { issuer, email }: Identity,
  ): Promise<"sso-removed" | "email-taken" | "no-room"> {
    const row = await this.first<{ outcome: "sso-removed" | "email-taken" | "no-room" }>(
      `SELECT CASE WHEN NOT ${IS_CONNECTED} THEN 'sso-removed'
         WHEN EXISTS (SELECT 1 FROM people WHERE instance_id = ?1 AND email = ?3) THEN 'email-taken' ELSE 'no-room' END AS outcome`,
      [instanceId, issuer, email],
    );
    return row?.outcome ?? "no-room";
  }

  /**
   * Links the account. An account that is identified by its subject needs no link, because the person's row has the subject.
   */
  #link(instanceId: number, { issuer, subject, email, account }: Identity, now: number): D1PreparedStatement[] {
    if (account === undefined) return [];
    return [
      this.statement(
        `INSERT INTO linked_accounts (instance_id, issuer, subject, person_id, linked_at)
         SELECT ?1, ?2, ?5, id, ?6 FROM people
         WHERE ${IS_SIGNED_IN} ON CONFLICT DO NOTHING`,
        [instanceId, issuer, subject, email, account, now],
      ),
    ];
  }
}
