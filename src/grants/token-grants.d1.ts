import type { AuditEntry } from "#audit/audit.ts";
import { recordAs, recordIfChanged, WITH_EMAIL } from "#audit/audit-entry.sql.ts";
import { firstRow, rowsOf, runBatch, runStatement } from "#platform/d1.ts";
import type { AppRequirement } from "#protocol/app-requirements.ts";
import { OPENING_SCOPES, type Scope } from "#protocol/scopes.ts";
import type { ClientCredentials } from "#clients/client-proof.ts";
import type { PendingKey } from "#authorization-requests/pending-requests.ts";
import { rememberConsent } from "#consents/consents.sql.ts";
import type { RememberedScopes } from "#consents/remembered-consents.ts";
import type { ClientKind } from "#clients/client.ts";
import type { NewGrant, ObservedGrant, TokenGrant } from "./grant.ts";
import { refreshable } from "./running.sql.ts";
import {
  type Addition,
  type AssertedGrant,
  type CodeClaim,
  GRANTS_PER_PERSON_AND_HOUR,
  type Observation,
  type RotationClaim,
  type TokenGrants,
} from "./token-grants.ts";

interface TokenRow {
  readonly id: string;
  readonly client_id: string;
  readonly person_id: string;
  readonly scope: string;
  readonly resource: string;
  readonly generation: number;
  readonly expires_at: number;
  readonly tokens_until: number;
  readonly nonce: string | null;
  readonly client_kind: ClientKind;
  readonly client_scopes: string;
}

/** `id` is `null` where the client has no such grant. */
interface UnknownGrantRow {
  readonly is_authentic: number;
  readonly id: null;
}

interface ObservedRow extends TokenRow {
  readonly is_authentic: number;
  readonly issuer: string;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly code_expires_at: number;
  readonly redeemed_at: number | null;
  readonly rotated_at: number | null;
  readonly revoked_at: number | null;
  readonly key_thumbprint: string | null;
  readonly client_requirements: string;
  readonly person_deactivated_at: number | null;
  readonly is_client_proven: number;
}

type ObservationRow = ObservedRow | UnknownGrantRow;

/**
 * Client authentication inside the statement (?1 client id, ?2 instance, ?3 what the request proves, `NULL` for nothing): only a
 * public client may send no proof, but a proof that is sent must be right.
 */
const AUTHENTIC = `SELECT 1 FROM clients c WHERE c.id = ?1 AND c.instance_id = ?2 AND c.disabled_at IS NULL
  AND CASE WHEN ?3 IS NULL THEN c.is_public = 1 ELSE c.proof = ?3 END`;
const AUTHENTIC_CLIENT = `EXISTS (${AUTHENTIC})`;

/** Also that it does what it has to (`clients/client-requirements.ts`): a code or refresh token is not spent on a request that does not. */
function fitClient(keyThumbprint: string): string {
  const isFreeOf = (requirement: AppRequirement) =>
    `instr(c.requirements || c.declared_requirements, '"${requirement}"') = 0`;
  return `EXISTS (${AUTHENTIC} AND (${keyThumbprint} IS NOT NULL OR ${isFreeOf("dpop")})
    AND (?3 GLOB 'keys:*' OR ${isFreeOf("private_key_jwt")}))`;
}

const ACTIVE_PERSON = "EXISTS (SELECT 1 FROM people p WHERE p.id = grants.person_id AND p.deactivated_at IS NULL)";

/** RFC 8707 §2.2: a token is for what was granted, or for something below it. */
function resourceWithin(parameter: string): string {
  return `(${parameter} IS NULL OR ${parameter} = resource OR substr(${parameter}, 1, length(resource) + 1) = resource || '/')`;
}

const TOKEN_COLUMNS = `id, client_id, person_id, scope, resource, generation, expires_at, tokens_until, nonce,
  (SELECT c.kind FROM clients c WHERE c.id = grants.client_id AND c.instance_id = grants.instance_id) AS client_kind,
  (SELECT c.scopes FROM clients c WHERE c.id = grants.client_id AND c.instance_id = grants.instance_id) AS client_scopes`;

/**
 * A client's grant as it is, beside whether the client is who it says; one row, even without a grant (?4 is the value of `key`).
 *
 * @param condition without which there is no row, and nothing is read
 */
function observation(key: "id" | "code_hash", condition = ""): string {
  return `SELECT is_authentic, ${TOKEN_COLUMNS}, is_client_proven, issuer, redirect_uri, code_challenge, code_expires_at,
      redeemed_at, rotated_at, revoked_at, key_thumbprint,
      COALESCE((SELECT json_array(json(c.requirements), json(c.declared_requirements)) FROM clients c
        WHERE c.id = grants.client_id AND c.instance_id = grants.instance_id), '[]') AS client_requirements,
      (SELECT p.deactivated_at FROM people p WHERE p.id = grants.person_id) AS person_deactivated_at
    FROM (SELECT ${AUTHENTIC_CLIENT} AS is_authentic ${condition})
      LEFT JOIN grants ON ${key} = ?4 AND client_id = ?1 AND instance_id = ?2`;
}

/** Grants in D1: the guarantees of the authorization server are the WHERE clauses below. */
export class D1TokenGrants implements TokenGrants {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  /**
   * The other statements ask for the row with this answer's own code: all of them happen, or none. The grant's id would not do,
   * because it is the request's, and a second answer to the same request has the same.
   */
  async add(pending: PendingKey, grant: NewGrant, remember: RememberedScopes | null): Promise<Addition> {
    const stillPending =
      "handle_hash = ?1 AND instance_id = ?2 AND browser_hash = ?3 AND stage = 'consent' AND expires_at > ?4";
    const key = [pending.handleHash, pending.instanceId, pending.browserHash, grant.createdAt] as const;
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `INSERT INTO grants (id, instance_id, issuer, client_id, person_id, scope, resource, redirect_uri,
             code_hash, code_challenge, code_expires_at, created_at, expires_at, nonce, key_thumbprint, sso_session)
           SELECT ?5, ?2, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?4, ?15, ?17, ?18, sso_session
           FROM authorization_requests WHERE ${stillPending}
             AND (SELECT count(*) FROM grants WHERE person_id = ?8 AND created_at > ?4 - 3600) < ?16`,
        )
        .bind(
          ...key,
          grant.id,
          grant.issuer,
          grant.clientId,
          grant.personId,
          grant.scope,
          grant.resource,
          grant.redirectUri,
          grant.codeHash,
          grant.codeChallenge,
          grant.codeExpiresAt,
          grant.expiresAt,
          GRANTS_PER_PERSON_AND_HOUR,
          grant.nonce ?? null,
          grant.keyThumbprint ?? null,
        ),
      recordAs(this.#database, authorized(grant), WITH_EMAIL, "WHERE changes() > 0"),
      ...(remember === null ? [] : [rememberConsent(this.#database, grant.codeHash, grant, remember)]),
      this.#noteAuthorization(grant.clientId, grant),
      this.#database
        .prepare(
          `DELETE FROM authorization_requests WHERE ${stillPending} AND EXISTS (SELECT 1 FROM grants WHERE code_hash = ?5)`,
        )
        .bind(...key, grant.codeHash),
      this.#database.prepare(`SELECT 1 FROM authorization_requests WHERE ${stillPending}`).bind(...key),
    ]);
    if ((results[0]?.meta.changes ?? 0) > 0) return "added";
    return (results.at(-1)?.results.length ?? 0) > 0 ? "too-many" : "gone";
  }

  /**
   * The single-use gate (OAuth 2.1 §4.1.3): check and claim are one statement, so of two racing redemptions exactly one
   * changes a row. KV could not promise this; that is why codes live in D1.
   */
  async claimCode(claim: CodeClaim, now: number): Promise<TokenGrant | null> {
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `UPDATE grants SET redeemed_at = ?4, tokens_until = ?10, is_client_proven = ?3 IS NOT NULL,
             key_thumbprint = COALESCE(?11, key_thumbprint)
           WHERE code_hash = ?5 AND client_id = ?1 AND instance_id = ?2 AND issuer = ?6 AND code_challenge = ?7
             AND (?8 IS NULL OR redirect_uri = ?8) AND code_expires_at > ?4 AND redeemed_at IS NULL AND revoked_at IS NULL
             AND (key_thumbprint IS NULL OR key_thumbprint = ?11)
             AND ${resourceWithin("?9")} AND ${fitClient("?11")} AND ${ACTIVE_PERSON}
           RETURNING ${TOKEN_COLUMNS}`,
        )
        .bind(
          ...authentication(claim),
          now,
          claim.codeHash,
          claim.issuer,
          claim.codeChallenge,
          claim.redirectUri ?? null,
          claim.resource ?? null,
          claim.tokensUntil,
          claim.keyThumbprint ?? null,
        ),
    ]);
    const [row] = rowsOf<TokenRow>(results, 0);
    return row ? toTokenGrant(row) : null;
  }

  /** The hash of a code that nobody was given only fills its column. */
  async addAsserted(grant: AssertedGrant): Promise<TokenGrant | null> {
    const { createdAt, personId, scope, resource, issuer, assertedBy, tokensUntil } = grant;
    const bound = [...authentication(grant), createdAt, personId, issuer, scope, resource, assertedBy, tokensUntil];
    const same = `client_id = ?1 AND instance_id = ?2 AND person_id = ?5 AND issuer = ?6 AND scope = ?7 AND resource = ?8
      AND asserted_by = ?9 AND revoked_at IS NULL AND tokens_until > ?4`;
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `UPDATE grants SET rotated_at = ?4, tokens_until = max(tokens_until, ?10), expires_at = max(expires_at, ?10)
           WHERE id = (SELECT id FROM grants WHERE ${same} LIMIT 1) AND ${AUTHENTIC_CLIENT} AND ${ACTIVE_PERSON}
           RETURNING ${TOKEN_COLUMNS}`,
        )
        .bind(...bound),
      this.#database
        .prepare(
          `INSERT INTO grants (id, instance_id, issuer, client_id, person_id, scope, resource, redirect_uri, code_hash,
             code_challenge, code_expires_at, redeemed_at, is_client_proven, created_at, expires_at, tokens_until, asserted_by)
           SELECT ?11, ?2, ?6, ?1, ?5, ?7, ?8, '', ?12, '', ?4, ?4, ?3 IS NOT NULL, ?4, ?10, ?10, ?9
           WHERE ${AUTHENTIC_CLIENT} AND EXISTS (SELECT 1 FROM people WHERE id = ?5 AND deactivated_at IS NULL)
             AND NOT EXISTS (SELECT 1 FROM grants WHERE ${same})
             AND (SELECT count(*) FROM grants WHERE person_id = ?5 AND created_at > ?4 - 3600) < ?13
           RETURNING ${TOKEN_COLUMNS}`,
        )
        .bind(...bound, grant.id, grant.codeHash, GRANTS_PER_PERSON_AND_HOUR),
      recordIfChanged(this.#database, asserted(grant)),
      this.#noteAuthorization(grant.credentials.clientId, grant),
    ]);
    const row = rowsOf<TokenRow>(results, 0)[0] ?? rowsOf<TokenRow>(results, 1)[0];
    return row ? toTokenGrant(row) : null;
  }

  async observeCode(claim: CodeClaim): Promise<Observation> {
    const observed = this.#database.prepare(observation("code_hash")).bind(...authentication(claim), claim.codeHash);
    return toObservation(await firstRow<ObservationRow>(observed), claim);
  }

  /**
   * Rotation (OAuth 2.1 §4.3.1) by one conditional UPDATE of the generation: of parallel refreshes one changes the row, and
   * the others see in the same transaction what it became. A moment later it could be two generations on, and their token look like a
   * copy. A token that would come back empty, because nothing that the client asks for is allowed any more, is not spent on it.
   */
  async rotate(claim: RotationClaim, now: number): Promise<{ rotated: TokenGrant } | Observation> {
    const results = await runBatch(this.#database, [
      this.#database
        .prepare(
          `UPDATE grants SET generation = generation + 1, rotated_at = ?4, tokens_until = max(tokens_until, ?13),
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
           RETURNING ${TOKEN_COLUMNS}`,
        )
        .bind(
          ...authentication(claim),
          now,
          claim.grantId,
          claim.issuer,
          claim.generation,
          claim.grantIdleSeconds,
          JSON.stringify(claim.requestedScopes.map((scope) => scope.toLowerCase())),
          JSON.stringify(openings(claim.requestedScopes)),
          JSON.stringify(claim.dynamicScopes),
          claim.resource ?? null,
          claim.tokensUntil,
          claim.keyThumbprint ?? null,
        ),
      this.#observed(claim, "WHERE changes() = 0"),
    ]);
    const [rotated] = rowsOf<TokenRow>(results, 0);
    return rotated ? { rotated: toTokenGrant(rotated) } : toObservation(rowsOf<ObservationRow>(results, 1)[0], claim);
  }

  async isAuthentic(instanceId: number, credentials: ClientCredentials): Promise<boolean> {
    const bound = authentication({ instanceId, credentials });
    return (await firstRow(this.#database.prepare(AUTHENTIC).bind(...bound))) !== null;
  }

  async observe(grant: { instanceId: number; grantId: string; credentials: ClientCredentials }): Promise<Observation> {
    return toObservation(await firstRow<ObservationRow>(this.#observed(grant)), grant);
  }

  async sweep(endedBefore: number, rowsMax: number): Promise<number> {
    return runStatement(
      this.#database
        .prepare(
          `DELETE FROM grants WHERE id IN
             (SELECT id FROM grants WHERE expires_at < ?1 AND (revoked_at IS NULL OR revoked_at < ?1) LIMIT ?2)`,
        )
        .bind(endedBefore, rowsMax),
    );
  }

  /** Its client was just authorized, if the grant was written. */
  #noteAuthorization(
    clientId: string,
    { instanceId, createdAt, codeHash }: Pick<NewGrant, "instanceId" | "createdAt" | "codeHash">,
  ): D1PreparedStatement {
    return this.#database
      .prepare(
        `UPDATE clients SET last_authorized_at = ?3, caller = NULL WHERE id = ?1 AND instance_id = ?2
           AND EXISTS (SELECT 1 FROM grants WHERE code_hash = ?4)`,
      )
      .bind(clientId, instanceId, createdAt, codeHash);
  }

  #observed(
    grant: { instanceId: number; grantId: string; credentials: ClientCredentials },
    condition?: string,
  ): D1PreparedStatement {
    return this.#database.prepare(observation("id", condition)).bind(...authentication(grant), grant.grantId);
  }
}

/** The entry of what a person allowed. */
function authorized(grant: NewGrant): AuditEntry<"app_authorized"> {
  const { instanceId, createdAt: at, personId: actor, id: grantId, clientId, scope, resource } = grant;
  return { instanceId, at, actor, event: "app_authorized", detail: { clientId, grantId, scope, resource } };
}

/** The entry of what an issuer asserted. A machine acts under its own name, not under its platform's. */
function asserted(grant: AssertedGrant): AuditEntry<"app_authorized"> {
  const { instanceId, createdAt: at, personId, id: grantId, scope, resource, assertedBy, credentials } = grant;
  const { clientId } = credentials;
  const isMachine = clientId === personId;
  const detail = { clientId, grantId, scope, resource, assertedBy, ...(isMachine ? {} : { personId }) };
  return { instanceId, at, actor: isMachine ? personId : assertedBy, event: "app_authorized", detail };
}

function authentication(claim: { instanceId: number; credentials: ClientCredentials }) {
  return [claim.credentials.clientId, claim.instanceId, claim.credentials.proof] as const;
}

/** The scopes that a refresh could give: those asked for, or all there are. */
function openings(requested: readonly Scope[]): readonly Scope[] {
  return requested.length === 0 ? OPENING_SCOPES : OPENING_SCOPES.filter((scope) => requested.includes(scope));
}

function toTokenGrant(row: TokenRow): TokenGrant {
  return {
    id: row.id,
    clientId: row.client_id,
    personId: row.person_id,
    scope: row.scope,
    resource: row.resource,
    generation: row.generation,
    expiresAt: row.expires_at,
    tokensUntil: row.tokens_until,
    nonce: row.nonce,
    clientKind: row.client_kind,
    clientScopes: JSON.parse(row.client_scopes) as Scope[],
  };
}

/** A client that has authenticated itself for a grant is who it says only when it does so again. */
function toObservation(
  row: ObservationRow | null | undefined,
  { credentials }: { readonly credentials: ClientCredentials },
): Observation {
  const clientAuthenticated = row?.is_authentic === 1;
  if (!row || row.id === null) return { clientAuthenticated, grant: null };
  const isDowngraded = row.is_client_proven === 1 && credentials.proof === null;
  const grant: ObservedGrant = {
    ...toTokenGrant(row),
    issuer: row.issuer,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    codeExpiresAt: row.code_expires_at,
    redeemedAt: row.redeemed_at,
    rotatedAt: row.rotated_at,
    revokedAt: row.revoked_at,
    keyThumbprint: row.key_thumbprint,
    clientRequirements: (JSON.parse(row.client_requirements) as AppRequirement[][]).flat(),
    personDeactivatedAt: row.person_deactivated_at,
  };
  return { clientAuthenticated: clientAuthenticated && !isDowngraded, grant };
}
