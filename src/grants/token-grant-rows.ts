import type { ClientCredentials } from "#clients/client-proof.ts";
import type { ClientKind } from "#clients/client.ts";
import type { AppRequirement } from "#protocol/app-requirements.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ObservedGrant, TokenGrant } from "./grant.ts";
import type { Observation } from "./token-grants.ts";

/** What asks for a grant, by its client. */
interface Claim {
  readonly credentials: ClientCredentials;
}

/** What `TOKEN_COLUMNS` give. */
export interface TokenRow {
  readonly id: string;
  readonly person_id: string;
  readonly scope: string;
  readonly resource: string;
  readonly generation: number;
  readonly tokens_until: number;
  readonly nonce: string | null;
  /** Kind and scopes, as JSON. */
  readonly client: string;
}

/** `id` is `null` where the client has no such grant. */
interface UnknownGrantRow {
  readonly is_authentic: number;
  readonly id: null;
}

interface ObservedRow extends Omit<TokenRow, "client"> {
  readonly client: string | null;
  readonly is_authentic: number;
  readonly issuer: string;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly code_expires_at: number;
  readonly expires_at: number;
  readonly redeemed_at: number | null;
  readonly rotated_at: number | null;
  readonly revoked_at: number | null;
  readonly key_thumbprint: string | null;
  readonly client_requirements: string;
  readonly person_deactivated_at: number | null;
  readonly is_client_proven: number;
}

/** What an observation gives. */
export type ObservationRow = ObservedRow | UnknownGrantRow;

/** @param claim by which the row was found */
export function toTokenGrant(row: TokenRow, { credentials }: Claim): TokenGrant {
  const [clientKind, clientScopes] = JSON.parse(row.client) as [ClientKind, Scope[]];
  return {
    id: row.id,
    clientId: credentials.clientId,
    personId: row.person_id,
    scope: row.scope,
    resource: row.resource,
    generation: row.generation,
    tokensUntil: row.tokens_until,
    nonce: row.nonce,
    clientKind,
    clientScopes,
  };
}

/** A client that has authenticated itself for a grant is who it says only when it does so again. */
export function toObservation(row: ObservationRow | null | undefined, claim: Claim): Observation {
  const clientAuthenticated = row?.is_authentic === 1;
  // A client that was deleted has nothing any more, though its grants' rows are still there.
  if (!row || row.id === null || row.client === null) return { clientAuthenticated, grant: null };
  const isDowngraded = row.is_client_proven === 1 && claim.credentials.proof === null;
  const grant: ObservedGrant = {
    ...toTokenGrant({ ...row, client: row.client }, claim),
    issuer: row.issuer,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    codeExpiresAt: row.code_expires_at,
    expiresAt: row.expires_at,
    redeemedAt: row.redeemed_at,
    rotatedAt: row.rotated_at,
    revokedAt: row.revoked_at,
    keyThumbprint: row.key_thumbprint,
    clientRequirements: (JSON.parse(row.client_requirements) as AppRequirement[][]).flat(),
    personDeactivatedAt: row.person_deactivated_at,
  };
  return { clientAuthenticated: clientAuthenticated && !isDowngraded, grant };
}
