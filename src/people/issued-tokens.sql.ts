import { recordAs } from "#audit/audit-entry.sql.ts";
import { exceeds } from "./role.sql.ts";

/** Names the parameters of a condition: the person or the token with which tokens end, and the instance. */
type Condition = (subject: string, instance: string) => string;

/** The person or token that others end with, and who decided it. */
interface TokensEnding {
  readonly subject: string;
  readonly instanceId: number;
  readonly actor: string;
  /** Seconds. */
  readonly at: number;
}

/** Revokes a token at ?3. `changed_at` grows even within one second or by a clock that is behind. */
export const REVOKE = "UPDATE service_tokens SET revoked_at = ?3, changed_at = max(?3, changed_at + 1)";

/**
 * The recursive table `known`: secrets that end with a person or a token. A person has those that they hold. A token has those that it was
 * shown, directly or through other tokens; a person has none through tokens, as somebody else may have taken these over.
 */
const known = (subject: string) => `holders (id) AS (
    SELECT id FROM service_tokens WHERE id = ${subject}
    UNION SELECT s.token_id FROM holders CROSS JOIN service_token_secrets s ON s.known_to = holders.id),
  known (token_id, secret_hash, expires_at) AS (
    SELECT token_id, secret_hash, expires_at FROM service_token_secrets WHERE holder = ${subject}
    UNION SELECT s.token_id, s.secret_hash, s.expires_at
      FROM holders CROSS JOIN service_token_secrets s ON s.known_to = holders.id)`;

/**
 * The admin tokens that a person or a token issued, or whose current secret they know, and that meet a condition, and the admin tokens
 * issued through them. `CROSS JOIN` keeps its order: otherwise all admin tokens would be read for each one that was issued.
 */
function issuedBy(subject: string, instance: string, condition: string): string {
  return `id IN (WITH RECURSIVE ${known(subject)}, issued (id) AS (
    SELECT id FROM service_tokens
    WHERE instance_id = ${instance} AND created_by = ${subject} AND kind = 'admin' AND ${condition}
    UNION SELECT t.id FROM known s CROSS JOIN service_tokens t ON t.id = s.token_id
      WHERE s.expires_at IS NULL AND t.instance_id = ${instance} AND t.kind = 'admin' AND ${condition}
    UNION SELECT t.id FROM issued CROSS JOIN service_tokens t ON t.created_by = issued.id
      WHERE t.instance_id = ${instance} AND t.kind = 'admin'
  ) SELECT id FROM issued)`;
}

/**
 * The admin tokens that a person or a token issued, directly or through other tokens. Any of them would keep access alive for somebody
 * who lost it. Tokens of pipelines are not included: pipelines keep running when an administrator leaves.
 */
export const isAdminTokenIssued: Condition = (subject, instance) => issuedBy(subject, instance, "TRUE");

/** The admin tokens that a person issued with a scope that their role does not have, and those issued through them. */
export const isAdminTokenBeyondRole: Condition = (person, instance) =>
  issuedBy(person, instance, exceeds("scopes", `(SELECT role FROM people WHERE id = ${person})`));

/** The superseded secrets of admin tokens that end with the subject and still work, if it no longer has their tokens' scopes. */
const superseded = (column: string) => `(WITH RECURSIVE ${known("?1")}
  SELECT s.${column} FROM known s CROSS JOIN service_tokens t ON t.id = s.token_id
  WHERE s.expires_at > ?3 AND t.instance_id = ?2 AND t.kind = 'admin'
    AND ${exceeds("t.scopes", "(SELECT role FROM people WHERE id = ?1)")})`;

/** Revokes tokens that end with somebody or something else. The entry is the first statement, as it lists those that had not ended. */
export function endTokens(
  database: D1Database,
  condition: Condition,
  { subject, instanceId, actor, at }: TokensEnding,
): D1PreparedStatement[] {
  // The plus keeps SQLite from searching by instance: the condition finds the person's tokens without reading all others.
  const where: Condition = (of, instance) =>
    `WHERE +instance_id = ${instance} AND revoked_at IS NULL AND (${condition(of, instance)})`;
  const ending = `SELECT id FROM service_tokens ${where("(?2 ->> '$.with')", "?1")}`;
  const detail = { with: subject };
  return [
    recordAs(
      database,
      { instanceId, at, actor, event: "service_tokens_ended", detail },
      `json_set(?2, '$.ids', (SELECT json_group_array(id) FROM (${ending})))`,
      `WHERE EXISTS (${ending})`,
    ),
    database.prepare(`${REVOKE} ${where("?1", "?2")}`).bind(subject, instanceId, at),
  ];
}

/**
 * Ends superseded secrets when a person or a token that knows them loses access. A token whose secret somebody else replaced now belongs
 * to them and stays, but its previous holder knows the secret that was replaced. All others work until the end of their overlap.
 */
export function endSupersededSecrets(
  database: D1Database,
  { subject, instanceId, at }: Omit<TokensEnding, "actor">,
): D1PreparedStatement[] {
  return [
    `UPDATE service_tokens SET changed_at = max(?3, changed_at + 1) WHERE id IN ${superseded("token_id")}`,
    `UPDATE service_token_secrets SET expires_at = 0 WHERE secret_hash IN ${superseded("secret_hash")}`,
  ].map((sql) => database.prepare(sql).bind(subject, instanceId, at));
}
