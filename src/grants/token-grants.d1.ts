import { AuditedStore, recordIfChanged, recordWithEmail } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { deletionOf, firstRow, rowsOf, runBatch } from "#platform/d1.ts";
import { OPENING_SCOPES, type Scope } from "#protocol/scopes.ts";
import { NOTE_AUTHORIZATION } from "#clients/client-rows.sql.ts";
import type { ClientCredentials } from "#clients/client.ts";
import { AT_CONSENT, END_AT_CONSENT } from "#authorization-requests/ending.sql.ts";
import type { PendingKey } from "#authorization-requests/pending-requests.ts";
import type { NewGrant, TokenGrant } from "./grant.ts";
import { type ObservationRow, type TokenRow, toObservation, toTokenGrant } from "./token-grant-rows.ts";
import {
  ADD_ASSERTED,
  AUTHENTIC,
  CLAIM_CODE,
  EXTEND_ASSERTED,
  OBSERVE_CODE,
  OBSERVE_GRANT,
  OBSERVE_UNCHANGED_GRANT,
  ROTATE,
} from "./token-grants.sql.ts";
import {
  type Addition,
  type AssertedGrant,
  type CodeClaim,
  GRANTS_PER_PERSON_AND_HOUR,
  type Observation,
  type RotationClaim,
} from "./token-grants.ts";

/** Grants in D1. The WHERE clauses below are what the authorization server guarantees. */
export class D1TokenGrants extends AuditedStore {
  /**
   * Ends a pending request and writes its grant, both or neither. Of two answers to one page, the second finds nothing to end.
   *
   * The other statements look for the row with this answer's own code, so all of them take
   * effect or none. The grant's id would not do: it comes from the request, and a second answer to the same request has the same one.
   */
  async add(pending: PendingKey, grant: NewGrant): Promise<Addition> {
    const key = [pending.handleHash, pending.instanceId, pending.browserHash, grant.createdAt] as const;
    const results = await runBatch(this.database, [
      this.statement(
        `INSERT INTO grants (id, instance_id, issuer, client_id, person_id, scope, resource, redirect_uri,
           code_hash, code_challenge, code_expires_at, created_at, expires_at, nonce, key_thumbprint, sso_session, signed_in_at)
         SELECT ?5, ?2, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?4, ?15, ?17, ?18, sso_session, signed_in_at
         FROM authorization_requests WHERE ${AT_CONSENT}
           AND (SELECT count(*) FROM grants WHERE person_id = ?8 AND created_at > ?4 - 3600 AND asserted_by IS NULL) < ?16`,
        [
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
        ],
      ),
      recordWithEmail(this.database, authorized(grant)),
      this.#noteAuthorization(grant.clientId, grant),
      this.statement(`${END_AT_CONSENT} AND EXISTS (SELECT 1 FROM grants WHERE code_hash = ?5)`, [
        ...key,
        grant.codeHash,
      ]),
      this.statement(`SELECT 1 FROM authorization_requests WHERE ${AT_CONSENT}`, [...key]),
    ]);
    if ((results[0]?.meta.changes ?? 0) > 0) return "added";
    return (results.at(-1)?.results.length ?? 0) > 0 ? "too-many" : "gone";
  }

  /**
   * Claims a code. Returns `null` if any check fails; the code then stays unspent.
   *
   * Never repeated: a second claim looks like a replay, which ends the grant.
   */
  async claimCode(claim: CodeClaim, now: number): Promise<TokenGrant | null> {
    const row = await this.first<TokenRow>(CLAIM_CODE, [
      ...authentication(claim),
      now,
      claim.codeHash,
      claim.issuer,
      claim.codeChallenge,
      claim.redirectUri ?? null,
      claim.resource ?? null,
      claim.tokensUntil,
      claim.keyThumbprint ?? null,
    ]);
    return row && toTokenGrant(row);
  }

  /**
   * Writes the grant of an assertion, or extends the same one if it is running. Returns `null` if the client or the person may
   * not have it, its basis has changed, or the person has too many.
   */
  async addAsserted(grant: AssertedGrant): Promise<TokenGrant | null> {
    const { createdAt, personId, scope, resource, issuer, assertedBy, tokensUntil, basis } = grant;
    const asserts = [personId, issuer, scope, resource, assertedBy, tokensUntil] as const;
    const read = [basis?.policyVersion ?? null, basis?.issuedAt ?? null] as const;
    const bound = [
      ...authentication(grant),
      createdAt,
      ...asserts,
      ...read,
      grant.keyThumbprint ?? null,
      grant.signedInAt,
      grant.exchanged?.from ?? null,
    ];
    const results = await runBatch(this.database, [
      this.statement(EXTEND_ASSERTED, [...bound]),
      this.statement(ADD_ASSERTED, [...bound, grant.id, grant.codeHash, GRANTS_PER_PERSON_AND_HOUR]),
      recordIfChanged(this.database, asserted(grant)),
      this.#noteAuthorization(grant.credentials.clientId, grant),
    ]);
    const row = rowsOf<TokenRow>(results, 0)[0] ?? rowsOf<TokenRow>(results, 1)[0];
    return row ? toTokenGrant(row) : null;
  }

  async observeCode(claim: CodeClaim): Promise<Observation> {
    const observed = this.statement(OBSERVE_CODE, [...authentication(claim), claim.codeHash]);
    return toObservation(await firstRow<ObservationRow>(observed), claim);
  }

  /**
   * Advances a grant by one generation, or returns what shows why it could not.
   *
   * Of parallel refreshes, one changes the row, and the others see in the same transaction what it became. A
   * moment later, it could be two generations further, and their token would look like a copy. A token is not spent if the
   * response would be empty, because nothing that the client asks for is allowed any more.
   *
   * Repeatable: if the rotation took effect and its result was lost, the repetition is a loser of the race, which gets the same successor.
   */
  async rotate(claim: RotationClaim, now: number): Promise<{ rotated: TokenGrant } | Observation> {
    const results = await runBatch(
      this.database,
      [
        this.statement(ROTATE, [
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
        ]),
        this.#observed(OBSERVE_UNCHANGED_GRANT, claim),
      ],
      "repeatable",
    );
    const [rotated] = rowsOf<TokenRow>(results, 0);
    return rotated ? { rotated: toTokenGrant(rotated) } : toObservation(rowsOf<ObservationRow>(results, 1)[0], claim);
  }

  async isAuthentic(instanceId: number, credentials: ClientCredentials): Promise<boolean> {
    const bound = authentication({ instanceId, credentials });
    return (await this.first(AUTHENTIC, [...bound])) !== null;
  }

  /** Returns a grant of this client as it is now, and whether the client is authentic. */
  async observe(grant: { instanceId: number; grantId: string; credentials: ClientCredentials }): Promise<Observation> {
    return toObservation(await firstRow<ObservationRow>(this.#observed(OBSERVE_GRANT, grant)), grant);
  }

  /** Deletes grants that ended before this time and that no revocation list still needs, up to a limit. Returns how many. */
  sweep(endedBefore: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("grants", "id", "expires_at < ?1 AND (revoked_at IS NULL OR revoked_at < ?1)");
    return this.run(statement, [endedBefore, rowsMax]);
  }

  /** Returns the statement that notes that the client was just authorized, if the grant was written. */
  #noteAuthorization(
    clientId: string,
    { instanceId, createdAt, codeHash }: Pick<NewGrant, "instanceId" | "createdAt" | "codeHash">,
  ): D1PreparedStatement {
    return this.statement(`${NOTE_AUTHORIZATION} AND EXISTS (SELECT 1 FROM grants WHERE code_hash = ?4)`, [
      clientId,
      instanceId,
      createdAt,
      codeHash,
    ]);
  }

  #observed(
    statement: string,
    grant: { instanceId: number; grantId: string; credentials: ClientCredentials },
  ): D1PreparedStatement {
    return this.statement(statement, [...authentication(grant), grant.grantId]);
  }
}

/** Returns the audit entry for access that a person allowed. */
function authorized(grant: NewGrant): AuditEntry<"app_authorized"> {
  const { instanceId, createdAt: at, personId: actor, id: grantId, clientId, scope, resource } = grant;
  return { instanceId, at, actor, event: "app_authorized", detail: { clientId, grantId, scope, resource } };
}

/**
 * Returns the audit entry for access that an issuer asserted, or that an app exchanged. A machine acts under its own name, not under its
 * platform's.
 */
function asserted(grant: AssertedGrant): AuditEntry<"app_authorized"> {
  const { instanceId, createdAt: at, personId, id: grantId, scope, resource, exchanged } = grant;
  const { clientId } = grant.credentials;
  const isMachine = clientId === personId;
  const basis = exchanged ? { exchangedFrom: exchanged.app } : { assertedBy: grant.assertedBy };
  const detail = { clientId, grantId, scope, resource, ...basis, ...(isMachine ? {} : { personId }) };
  const actor = exchanged ? clientId : isMachine ? personId : grant.assertedBy;
  return { instanceId, at, actor, event: "app_authorized", detail };
}

function authentication(claim: { instanceId: number; credentials: ClientCredentials }) {
  return [claim.credentials.clientId, claim.instanceId, claim.credentials.proof] as const;
}

/** Returns the scopes worth a grant that a refresh could give: the requested ones, or all. */
function openings(requested: readonly Scope[]): readonly Scope[] {
  return requested.length === 0 ? OPENING_SCOPES : OPENING_SCOPES.filter((scope) => requested.includes(scope));
}
