import type { AppRequirement } from "#protocol/app-requirements.ts";
import { refreshable } from "./running.sql.ts";

/**
 * Client authentication inside the statement (?1 client id, ?2 instance, ?3 what the request proves, `NULL` for nothing). Only a
 * public client may send no proof, and a proof that is sent must be right.
 */
export const AUTHENTIC = `SELECT 1 FROM clients c WHERE c.id = ?1 AND c.instance_id = ?2 AND c.disabled_at IS NULL
  AND CASE WHEN ?3 IS NULL THEN c.is_public = 1 ELSE c.proof = ?3 END`;
const AUTHENTIC_CLIENT = `EXISTS (${AUTHENTIC})`;

/**
 * Also requires that the client meets its requirements (`clients/client-requirements.ts`), so that no code or refresh token is
 * spent on a request that doesn't, and a requirement that was added a moment ago holds.
 */
function fitClient(keyThumbprint: string): string {
  const isFreeOf = (requirement: AppRequirement) =>
    `instr(c.requirements || c.declared_requirements, '"${requirement}"') = 0`;
  return `EXISTS (${AUTHENTIC} AND (${keyThumbprint} IS NOT NULL OR ${isFreeOf("dpop")})
    AND (?3 GLOB 'keys:*' OR ${isFreeOf("private_key_jwt")}))`;
}

const ACTIVE_PERSON = "EXISTS (SELECT 1 FROM people p WHERE p.id = grants.person_id AND p.deactivated_at IS NULL)";

/** Returns the condition that a token is for the granted resource, or for something below it (RFC 8707 §2.2). */
function resourceWithin(parameter: string): string {
  return `(${parameter} IS NULL OR ${parameter} = resource OR substr(${parameter}, 1, length(resource) + 1) = resource || '/')`;
}

const OWN_CLIENT = "FROM clients c WHERE c.id = grants.client_id AND c.instance_id = grants.instance_id";

/**
 * A `TokenGrant` as JSON; `NULL` if its client was deleted. It is one column because D1 repeats the names of all columns in every
 * response.
 */
const TOKEN_GRANT = `(SELECT json_object('id', grants.id, 'clientId', c.id, 'personId', grants.person_id, 'scope', grants.scope,
    'resource', grants.resource, 'generation', grants.generation, 'tokensUntil', grants.tokens_until, 'nonce', grants.nonce,
    'clientKind', c.kind, 'clientApp', c.app, 'clientScopes', json(c.scopes), 'clientRedirectUris', json(c.redirect_uris))
  ${OWN_CLIENT}) AS token_grant`;

/** The rest of an `ObservedGrant`, as JSON. */
const GRANT_STATE = `json_object('issuer', issuer, 'redirectUri', redirect_uri, 'codeChallenge', code_challenge,
    'codeExpiresAt', code_expires_at, 'expiresAt', expires_at, 'redeemedAt', redeemed_at, 'rotatedAt', rotated_at,
    'revokedAt', revoked_at, 'keyThumbprint', key_thumbprint,
    'clientRequirements', json((SELECT json_array(json(c.requirements), json(c.declared_requirements)) ${OWN_CLIENT})),
    'personDeactivatedAt', (SELECT p.deactivated_at FROM people p WHERE p.id = grants.person_id)) AS grant_state`;

/**
 * Returns a statement that reads a client's grant, and whether the client is authentic. It gives one row, even without a grant
 * (?4 is the value of `key`).
 *
 * @param condition if it is not met, there is no row, and nothing is read
 */
function observation(key: "id" | "code_hash", condition = ""): string {
  return `SELECT is_authentic, is_client_proven, ${TOKEN_GRANT}, ${GRANT_STATE}
    FROM (SELECT ${AUTHENTIC_CLIENT} AS is_authentic ${condition})
      LEFT JOIN grants ON ${key} = ?4 AND client_id = ?1 AND instance_id = ?2`;
}

export const OBSERVE_GRANT = observation("id");
export const OBSERVE_UNCHANGED_GRANT = observation("id", "WHERE changes() = 0");
export const OBSERVE_CODE = observation("code_hash");

/**
 * Claims a code, once (OAuth 2.1 §4.1.3). Check and claim are one statement, so if two redemptions race, exactly one changes a
 * row. KV could not guarantee this, so codes are stored in D1.
 */
export const CLAIM_CODE = `UPDATE grants SET redeemed_at = ?4, tokens_until = ?10, is_client_proven = ?3 IS NOT NULL,
    key_thumbprint = COALESCE(?11, key_thumbprint)
  WHERE code_hash = ?5 AND client_id = ?1 AND instance_id = ?2 AND issuer = ?6 AND code_challenge = ?7
    AND (?8 IS NULL OR redirect_uri = ?8) AND code_expires_at > ?4 AND redeemed_at IS NULL AND revoked_at IS NULL
    AND (key_thumbprint IS NULL OR key_thumbprint = ?11)
    AND ${resourceWithin("?9")} AND ${fitClient("?11")} AND ${ACTIVE_PERSON}
  RETURNING ${TOKEN_GRANT}`;

/** Rotates a grant (OAuth 2.1 §4.3.1): of parallel refreshes, one changes the row. */
export const ROTATE = `UPDATE grants SET generation = generation + 1, rotated_at = ?4, tokens_until = max(tokens_until, ?13),
    is_client_proven = ?3 IS NOT NULL, key_thumbprint = COALESCE(?14, key_thumbprint)
  WHERE id = ?5 AND client_id = ?1 AND instance_id = ?2 AND issuer = ?6 AND generation = ?7
    AND ${refreshable("grants", { now: "?4", idleSeconds: "?8" })} AND is_client_proven <= (?3 IS NOT NULL)
    AND (key_thumbprint IS NULL OR key_thumbprint = ?14 OR (?3 IS NOT NULL AND ?14 IS NOT NULL))
    AND NOT EXISTS (SELECT 1 FROM json_each(?9) wanted
      WHERE instr(' ' || lower(grants.scope) || ' ', ' ' || wanted.value || ' ') = 0)
    AND EXISTS (SELECT 1 FROM json_each(?10) opening JOIN clients c ON c.id = ?1 AND c.instance_id = ?2
      WHERE instr(' ' || lower(grants.scope) || ' ', ' ' || lower(opening.value) || ' ') > 0
        AND instr(c.scopes, '"' || opening.value || '"') > 0
        AND (c.kind = 'static' OR instr(?11, '"' || opening.value || '"') > 0))
    AND ${resourceWithin("?12")} AND ${fitClient("?14")} AND ${ACTIVE_PERSON}
  RETURNING ${TOKEN_GRANT}`;

const SAME_ASSERTED = `client_id = ?1 AND instance_id = ?2 AND person_id = ?5 AND issuer = ?6 AND scope = ?7 AND resource = ?8
  AND asserted_by = ?9 AND exchanged_from IS ?15 AND revoked_at IS NULL AND tokens_until > ?4`;

/**
 * Requires that no issuer has changed since the policy snapshot of version ?11 (`NULL` if no issuer asserted anything), that the person
 * has not been signed out since the assertion's `iat` (?12), and that the grant from which this one is exchanged (?15; `NULL` for none,
 * and an issuer's application for its token) has not ended. Each of these ends only grants that exist: one that is written a moment later would last until its token expires.
 */
const BASIS_STANDS = `(?11 IS NULL OR (
    NOT EXISTS (SELECT 1 FROM policy_changes h WHERE h.instance_id = ?2 AND h.id > ?11 AND h.kind = 'external-issuer')
    AND EXISTS (SELECT 1 FROM people p WHERE p.id = ?5 AND coalesce(p.signed_out_at < ?12 * 1000, TRUE))))
  AND (?15 IS NULL OR ?11 IS NOT NULL OR EXISTS (SELECT 1 FROM grants g
    WHERE g.id = ?15 AND g.instance_id = ?2 AND g.person_id = ?5 AND g.revoked_at IS NULL))`;

/** Extends the running grant when the same access is asserted again. It also has tokens of its earlier sign-in. */
export const EXTEND_ASSERTED = `UPDATE grants SET rotated_at = ?4, tokens_until = max(tokens_until, ?10), expires_at = max(expires_at, ?10),
    signed_in_at = min(signed_in_at, ?14)
  WHERE id = (SELECT id FROM grants WHERE ${SAME_ASSERTED} LIMIT 1) AND ${fitClient("?13")} AND ${ACTIVE_PERSON} AND ${BASIS_STANDS}
  RETURNING ${TOKEN_GRANT}`;

/** Adds an assertion's grant, unless the same one is running. The hash (?17) of a code that nobody was given only fills its column. */
export const ADD_ASSERTED = `INSERT INTO grants (id, instance_id, issuer, client_id, person_id, scope, resource, redirect_uri, code_hash,
    code_challenge, code_expires_at, redeemed_at, is_client_proven, created_at, expires_at, tokens_until, asserted_by, signed_in_at, exchanged_from)
  SELECT ?16, ?2, ?6, ?1, ?5, ?7, ?8, '', ?17, '', ?4, ?4, ?3 IS NOT NULL, ?4, ?10, ?10, ?9,
    coalesce((SELECT signed_in_at FROM grants WHERE id = ?15), ?14), ?15
  WHERE ${fitClient("?13")} AND EXISTS (SELECT 1 FROM people WHERE id = ?5 AND deactivated_at IS NULL)
    AND ${BASIS_STANDS} AND NOT EXISTS (SELECT 1 FROM grants WHERE ${SAME_ASSERTED})
    AND (SELECT count(*) FROM grants WHERE person_id = ?5 AND created_at > ?4 - 3600 AND asserted_by IS NOT NULL) < ?18
  RETURNING ${TOKEN_GRANT}`;
