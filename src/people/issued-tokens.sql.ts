import type { Deed } from "#audit/audit.ts";
import type { Statement } from "#platform/d1.ts";
import { type AuditedDatabase, recordAs } from "#audit/audited-store.sql.ts";
import { exceeds } from "./role.sql.ts";

/**
 * Returns SQL of a condition, given the parameters of the instance and of the person or token with which tokens end.
 */
type Condition = (subject: string, instance: string) => string;

/** The person or token with which other tokens end, and who decided it. */
interface TokensEnding extends Deed {
  readonly subject: string;
}

/** Revokes a token at ?3. `changed_at` always grows, even within one second or with a clock that is behind. */
export const REVOKE = "UPDATE service_tokens SET revoked_at = ?3, changed_at = max(?3, changed_at + 1)";

/**
 * The recursive table `ended`: the token itself, or the admin tokens whose current secret the person holds and that meet a
 * condition, and those whose current secret descends from one of them. `CROSS JOIN` fixes the order of the join: otherwise all
 * admin tokens would be read for each one.
 */
const ended = (subject: string, instance: string, condition: string) => `ended (id) AS (
    SELECT id FROM service_tokens WHERE id = ${subject} AND instance_id = ${instance} AND kind = 'admin'
    UNION SELECT t.id FROM service_token_secrets s CROSS JOIN service_tokens t ON t.id = s.token_id
      WHERE s.holder = ${subject} AND s.expires_at IS NULL AND t.instance_id = ${instance} AND t.kind = 'admin' AND ${condition}
    UNION SELECT s.token_id FROM ended CROSS JOIN service_token_origins o ON o.origin = ended.id
      CROSS JOIN service_token_secrets s ON s.secret_hash = o.secret_hash WHERE s.expires_at IS NULL)`;

const isEnded = (subject: string, instance: string, condition: string) =>
  `id IN (WITH RECURSIVE ${ended(subject, instance, condition)} SELECT id FROM ended)`;

/**
 * The condition that the person's role does not cover the scopes of an admin token. It is always met for a token, which has no role.
 */
const isBeyondRole = (person: string) => exceeds("t.scopes", `(SELECT role FROM people WHERE id = ${person})`);

/**
 * The admin tokens that descend from a token, and the token itself; or those that descend from a person, who was shown their
 * current secret or one that it descends from. Any of them would keep access alive for somebody who lost it. Tokens of pipelines
 * are not included: pipelines keep running when an administrator leaves.
 */
export const isAdminTokenIssued: Condition = (subject, instance) => isEnded(subject, instance, "TRUE");

/** The admin tokens of a person with a scope that their role does not have, and those that descend from them. */
export const isAdminTokenBeyondRole: Condition = (person, instance) => isEnded(person, instance, isBeyondRole(person));

/**
 * The superseded secrets of admin tokens that still work and end with the subject, if it no longer has the scopes of their tokens.
 */
const superseded = (column: string) => `(WITH RECURSIVE ${ended("?1", "?2", isBeyondRole("?1"))}
  SELECT s.${column} FROM service_token_secrets s CROSS JOIN service_tokens t ON t.id = s.token_id
  WHERE s.holder = ?1 AND s.expires_at > ?3 AND t.instance_id = ?2 AND t.kind = 'admin' AND ${isBeyondRole("?1")}
  UNION SELECT s.${column} FROM ended CROSS JOIN service_token_origins o ON o.origin = ended.id
    CROSS JOIN service_token_secrets s ON s.secret_hash = o.secret_hash WHERE s.expires_at > ?3)`;

/**
 * Revokes tokens that end with somebody or something else. The audit entry is the first statement, because it lists the tokens that
 * had not ended yet.
 */
export function endTokens(
  database: AuditedDatabase,
  condition: Condition,
  { subject, instanceId, actor, at }: TokensEnding,
): Statement[] {
  // The plus keeps SQLite from searching by instance: the condition finds the person's tokens without reading all others.
  const where: Condition = (of, instance) =>
    `WHERE +instance_id = ${instance} AND revoked_at IS NULL AND (${condition(of, instance)})`;
  const ending = `SELECT id FROM service_tokens ${where("(?2 ->> '$.with')", "?1")}`;
  const detail = { with: subject };
  return [
    recordAs(
      database,
      { instanceId, at, actor, event: "service_tokens_ended", detail },
      { adds: { ids: `(SELECT json_group_array(id) FROM (${ending}))` }, condition: `WHERE EXISTS (${ending})` },
    ),
    database.prepare(`${REVOKE} ${where("?1", "?2")}`).bind(subject, instanceId, at),
  ];
}

/**
 * Ends superseded secrets when the person or token that they descend from loses access. A token whose secret somebody else replaced
 * now belongs to them and stays, but its previous holder knows the replaced secret. All other superseded secrets work until their
 * overlap ends.
 */
export function endSupersededSecrets(
  database: AuditedDatabase,
  { subject, instanceId, at }: Omit<TokensEnding, "actor">,
): D1PreparedStatement[] {
  return [
    `UPDATE service_tokens SET changed_at = max(?3, changed_at + 1) WHERE id IN ${superseded("token_id")}`,
    `UPDATE service_token_secrets SET expires_at = 0 WHERE secret_hash IN ${superseded("secret_hash")}`,
  ].map((sql) => database.prepare(sql).bind(subject, instanceId, at));
}
