import type { Deed } from "#audit/audit.ts";
import type { Statement } from "#platform/d1.ts";
import type { AuditedDatabase } from "#audit/audited-store.sql.ts";
import { END_REQUESTS, END_REQUESTS_OF_PERSON } from "#authorization-requests/ending.sql.ts";
import { endGrants, signedInUntil } from "#grants/ending.sql.ts";
import { peopleOfRemovedSso } from "#instance/instance.sql.ts";
import { signOutOfRemovedSso } from "./issuer-groups.sql.ts";
import type { EndReason } from "#grants/ending.ts";
import { endSupersededSecrets, endTokens, isAdminTokenIssued } from "./issued-tokens.sql.ts";

/** Whose access ends, why, and who decided it. */
export interface PersonEnding extends Deed {
  readonly personId: string;
  readonly reason: EndReason;
}

/**
 * Applies only if the previous statement deactivated the person. Somebody whom this authority may not decide about keeps all access.
 */
export const OF_SOMEBODY_OUT =
  "EXISTS (SELECT 1 FROM people p WHERE p.id = person_id AND p.deactivated_at IS NOT NULL)";

/**
 * Ends everything that a deactivated person has: the access of their apps, their service-issued tokens and the admin tokens that
 * they issued, their sessions, and all their requests that are under way.
 */
export function endEverythingOf(database: AuditedDatabase, ending: PersonEnding): Statement[] {
  return [
    ...endings(
      database,
      ending,
      OF_SOMEBODY_OUT,
      (person, instance) => `(person_id = ${person} OR ${isAdminTokenIssued(person, instance)})
      AND EXISTS (SELECT 1 FROM people p WHERE p.id = ${person} AND p.deactivated_at IS NOT NULL)`,
    ),
    ...endSupersededSecrets(database, { subject: ending.personId, ...ending }),
  ];
}

/**
 * Signs a person out everywhere: ends the same as {@link endEverythingOf}, except the tokens that they issued to programs, and
 * refuses identity providers' tokens from before. They may sign in again.
 *
 * @param ending with `until`, only what stems from a sign-in until then, in seconds
 */
export function endSignInsOf(
  database: AuditedDatabase,
  ending: PersonEnding & { readonly atMilliseconds: number; readonly until: number | undefined },
): Statement[] {
  const { instanceId, personId, atMilliseconds, until } = ending;
  const given = signedInUntil(until);
  return [
    database
      .prepare(
        `UPDATE people SET signed_out_at = max(coalesce(signed_out_at + (?3 >= signed_out_at), 0), ?3), sign_outs = sign_outs + 1
         WHERE id = ?1 AND instance_id = ?2`,
      )
      .bind(personId, instanceId, atMilliseconds),
    ...endings(database, ending, given, (person) => `person_id = ${person} AND ${given}`),
  ];
}

/**
 * Ends what people got who signed in at an SSO, if it is not connected any more: their sessions, their apps' access and their own
 * tokens. They stay people, and their email addresses stay taken.
 */
export function endAccessOfRemovedSso(
  database: AuditedDatabase,
  { instanceId, issuer, actor, at }: Deed & { readonly issuer: string },
): Statement[] {
  const scope = { kind: "single-sign-on", issuer } as const;
  const people = peopleOfRemovedSso("?1", "?2");
  const prepare = (sql: string) => database.prepare(sql).bind(instanceId, issuer);
  return [
    ...endGrants(database, { instanceId, scope, reason: "sso_removed", actor, at }),
    ...endTokens(database, (of, instance) => `person_id IN (${peopleOfRemovedSso(instance, of)})`, {
      subject: issuer,
      instanceId,
      actor,
      at,
    }),
    prepare(`DELETE FROM sessions WHERE instance_id = ?1 AND person_id IN (${people})`),
    prepare(`${END_REQUESTS} +instance_id = ?1 AND person_id IN (${people})`),
    signOutOfRemovedSso(database, instanceId, issuer),
  ];
}

/**
 * Ends a person's grants, tokens, sessions and requests.
 *
 * @param condition a further condition of the person's grants, sessions and requests: SQL without parameters
 * @param isTheirToken which service-issued tokens end
 */
function endings(
  database: AuditedDatabase,
  { instanceId, personId, at, actor, reason }: PersonEnding,
  condition: string,
  isTheirToken: Parameters<typeof endTokens>[1],
): Statement[] {
  const prepare = (sql: string) => database.prepare(`${sql} AND ${condition}`).bind(personId, instanceId);
  return [
    ...endGrants(database, { instanceId, scope: { kind: "person", personId }, reason, actor, at }, condition),
    ...endTokens(database, isTheirToken, { subject: personId, instanceId, actor, at }),
    prepare("DELETE FROM sessions WHERE person_id = ?1 AND instance_id = ?2"),
    prepare(END_REQUESTS_OF_PERSON),
  ];
}
