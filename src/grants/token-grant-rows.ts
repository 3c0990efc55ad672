import type { ClientCredentials } from "#clients/client-proof.ts";
import type { ClientKind } from "#clients/client.ts";
import type { AppRequirement } from "#protocol/app-requirements.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ObservedGrant, TokenGrant } from "./grant.ts";
import type { Observation } from "./token-grants.ts";

/** What `TOKEN_COLUMNS` give. */
export interface TokenRow {
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

/** What an observation gives. */
export type ObservationRow = ObservedRow | UnknownGrantRow;

export function toTokenGrant(row: TokenRow): TokenGrant {
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
export function toObservation(
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
