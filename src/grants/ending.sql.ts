import type { Deed } from "#audit/audit.ts";
import type { Statement } from "#platform/d1.ts";
import { type AuditedDatabase, recordCount } from "#audit/audited-store.sql.ts";
import type { AuditDetails } from "#audit/audit-events.ts";
import type { ChosenClients, EndingOfClient } from "#clients/client-removal.sql.ts";
import { peopleOfRemovedSso } from "#instance/instance.sql.ts";
import type { Ending, GrantScope, SsoSessionEnding } from "./ending.ts";
import { mayBeOffline } from "./running.sql.ts";

type EndingStatements = [ended: D1PreparedStatement, entry: Statement];

/**
 * Returns the statements that end grants, for the batch of the decision that ends them. Only the first one ends grants; the
 * second records it.
 *
 * Grants that can no longer give access are left as they are. A grant that is merely idle is ended, because a longer idle
 * lifetime would revive it.
 *
 * @param condition an additional condition for their rows: SQL without parameters
 */
export function endGrants(database: AuditedDatabase, ending: Ending, condition = "TRUE"): EndingStatements {
  const { instanceId, scope, reason } = ending;
  const columns = [["instance_id", instanceId], ...columnsOf(scope)] as const;
  const where =
    scope.kind === "single-sign-on"
      ? `+instance_id = ?3 AND person_id IN (${peopleOfRemovedSso("?3", "?4")})`
      : columns.map(([column], index) => `${column} = ?${3 + index}`).join(" AND ");
  const { kind, ...ids } = scope;
  const values = columns.map(([, value]) => value);
  return end(database, ending, { scope: kind, ...ids, reason }, `${where} AND ${condition}`, values);
}

/** Returns the columns that select a scope. Each kind is written out, so that a missing id can never select everybody's grants. */
function columnsOf(scope: GrantScope): readonly (readonly [column: string, value: string])[] {
  switch (scope.kind) {
    case "instance":
      return [];
    case "person":
      return [["person_id", scope.personId]];
    case "client":
      return [["client_id", scope.clientId]];
    case "client-of-person":
      return [
        ["person_id", scope.personId],
        ["client_id", scope.clientId],
      ];
    case "single-sign-on":
      return [["sso_issuer", scope.issuer]];
    case "grant":
    default:
      return [
        ["person_id", scope.personId],
        ["client_id", scope.clientId],
        ["id", scope.grantId],
      ];
  }
}

/** The column in which a grant names its client, and the condition that it does. */
const CLIENT_OF_GRANT = {
  /** A service account's grants are to itself, and don't end with an app of the same id. */
  own: ["client_id", "person_id <> client_id"],
  /** An app that is bound to a service account has its grants as that account. The gate only asks whether the account is disabled. */
  bound: ["asserted_by", "person_id = client_id"],
} as const;

/**
 * Returns the statements that end grants of clients that are removed or disabled, for the batch of that decision.
 *
 * @param which the grants of people to the clients, or those of service accounts to which the clients are bound
 */
export function endGrantsOfClients(
  database: AuditedDatabase,
  which: keyof typeof CLIENT_OF_GRANT,
  clients: ChosenClients,
  ending: EndingOfClient,
): EndingStatements {
  const { instanceId, clientId } = ending;
  const detail = { scope: "client", clientId, reason: "client_removed" } as const;
  const [column, condition] = CLIENT_OF_GRANT[which];
  const where = `instance_id = ?3 AND ${column} IN (${clients.sql(4)}) AND ${condition}`;
  return end(database, ending, detail, where, [instanceId, ...clients.values]);
}

/**
 * Returns the condition that something stems from a sign-in until a time, in seconds: SQL without parameters. What a person allows in
 * a session from before an event is not theirs alone, however late they allow it.
 */
export function signedInUntil(until: number | undefined): string {
  return until === undefined ? "TRUE" : `signed_in_at <= ${Math.floor(until)}`;
}

/** Returns the statements that end the grants given in a session at the SSO, for the batch that ends the session. */
export function endGrantsOfSsoSession(database: AuditedDatabase, ending: SsoSessionEnding): EndingStatements {
  const { instanceId, ssoSession, personId, withOffline, until } = ending;
  const detail = { scope: "sso-session", reason: "signed_out" } as const;
  const session = `instance_id = ?3 AND sso_session = ?4 AND person_id = coalesce(?5, person_id) AND ${signedInUntil(until)}`;
  const where = `${session}${withOffline ? "" : ` AND NOT ${mayBeOffline("grants")}`}`;
  return end(database, ending, detail, where, [instanceId, ssoSession, personId ?? null]);
}

/**
 * Returns the statements that end the grants that rest on an issuer's assertions, and record it, if the previous statement
 * changed a row. If the issuer is still accepted, a client gets a new grant with another assertion.
 */
export function endAssertedGrants(
  database: AuditedDatabase,
  ending: Deed & { readonly issuer: string },
): EndingStatements {
  const { instanceId, issuer } = ending;
  const detail = { scope: "issuer", issuer, reason: "issuer_changed" } as const;
  const where = "instance_id = ?3 AND asserted_by = ?4 AND changes() > 0";
  return end(database, ending, detail, where, [instanceId, issuer]);
}

/** The condition for grants that could still be used at ?1. */
const ENDABLE = "revoked_at IS NULL AND (expires_at > ?1 OR tokens_until > ?1)";

/** Ends grants, and those for which their tokens were exchanged, and records how many. */
function end(
  database: AuditedDatabase,
  { instanceId, actor, at }: Deed,
  detail: AuditDetails["grants_ended"] & Pick<Ending, "reason">,
  where: string,
  values: readonly (string | number | null)[],
): EndingStatements {
  const ended = database
    .prepare(
      `UPDATE grants SET revoked_at = ?1, revoked_reason = ?2
       WHERE id IN (WITH RECURSIVE ended (id) AS (SELECT id FROM grants WHERE ${ENDABLE} AND ${where}
           UNION SELECT g.id FROM ended CROSS JOIN grants g ON g.exchanged_from = ended.id WHERE g.revoked_at IS NULL)
         SELECT id FROM ended)`,
    )
    .bind(at, detail.reason, ...values);
  return [ended, recordCount(database, { instanceId, at, actor, event: "grants_ended", detail }, "grants")];
}
