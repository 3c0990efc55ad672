import type { RuledClient } from "#clients/allowed-scopes.ts";
import type { ClientKind } from "#clients/client.ts";
import type { TokenHash } from "#crypto/secrets.ts";
import type { AppRequirement } from "#protocol/app-requirements.ts";
import { parseScopes, type Scope } from "#protocol/scopes.ts";

/** How long a code works. A leaked code expires before it can be used; OAuth 2.1 §4.1.2 allows at most ten minutes. */
export const CODE_LIFETIME_SECONDS = 60;

/** Begins `asserted_by` of a grant that another app passed on by a token exchange: the app's id follows. */
export const THROUGH_APP = "app:";

/** The grant that a consent writes: one row. The code claims it once, and each refresh advances it by one generation. */
export interface NewGrant {
  readonly id: string;
  readonly instanceId: number;
  readonly issuer: string;
  readonly clientId: string;
  readonly personId: string;
  /** Space-separated, in the spelling of the request. */
  readonly scope: string;
  readonly resource: string;
  readonly redirectUri: string;
  readonly codeHash: TokenHash;
  readonly codeChallenge: string;
  /** The nonce that the ID token repeats; absent if there is none. */
  readonly nonce: string | undefined;
  /** The key that the code is bound to (RFC 9449 §10); absent if the request named none. */
  readonly keyThumbprint: string | undefined;
  readonly codeExpiresAt: number;
  readonly createdAt: number;
  /** When the grant ends, however often it is refreshed. */
  readonly expiresAt: number;
}

/** The part of a grant that tokens are made from. */
export interface TokenGrant {
  readonly id: string;
  readonly clientId: string;
  readonly personId: string;
  readonly scope: string;
  readonly resource: string;
  readonly generation: number;
  /** The latest expiry of its access tokens. None may live longer, because a revocation is published only until then. */
  readonly tokensUntil: number;
  readonly nonce: string | null;
  /** Kind, app, scopes and redirect URIs of the client, as they are now. */
  readonly clientKind: ClientKind;
  readonly clientApp: string;
  readonly clientScopes: readonly Scope[];
  readonly clientRedirectUris: readonly string[];
}

/** A grant as a failed request finds it, to tell why the request failed. */
export interface ObservedGrant extends TokenGrant, GrantState {
  readonly issuer: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly codeExpiresAt: number;
  /** The key that the code is bound to; after the code was redeemed, the key of the last tokens. */
  readonly keyThumbprint: string | null;
  /** What its client is required to do, by its own metadata or by an administrator. */
  readonly clientRequirements: readonly AppRequirement[];
  readonly personDeactivatedAt: number | null;
}

/** Returns the client of a grant, as far as it decides about scopes. */
export function clientOf(grant: TokenGrant): RuledClient {
  const { clientId: id, clientKind: kind, clientApp: app, clientScopes: scopes } = grant;
  return { id, kind, app, scopes, redirectUris: grant.clientRedirectUris };
}

/** The part of a grant that decides whether it is running. Times are seconds since 1970. */
export interface GrantState {
  readonly scope: string;
  readonly redeemedAt: number | null;
  readonly rotatedAt: number | null;
  readonly revokedAt: number | null;
  readonly expiresAt: number;
  /** When the last of its access tokens expires; 0 before the first. */
  readonly tokensUntil: number;
}

/**
 * Checks whether a grant gives access: one of its access tokens has not expired, or its refresh token can get another.
 * `running.sql.ts` is the same rule in SQL; `test/grants/running.test.ts` keeps the two equal.
 *
 * @param idleSeconds the instance's `grantIdleSeconds`
 */
export function isRunning(grant: GrantState, idleSeconds: number, now: number): boolean {
  if (grant.redeemedAt === null || grant.revokedAt !== null) return false;
  return grant.tokensUntil > now || isRefreshable(grant, idleSeconds, now);
}

/** Checks whether a grant's newest refresh token can get tokens. */
export function isRefreshable(grant: GrantState, idleSeconds: number, now: number): boolean {
  if (grant.redeemedAt === null || grant.revokedAt !== null) return false;
  if (!parseScopes(grant.scope).includes("offline_access")) return false;
  return Math.min(grant.expiresAt, (grant.rotatedAt ?? grant.redeemedAt) + idleSeconds) > now;
}

/** Returns when a grant last gave tokens, by its code or a refresh; `null` before the first. */
export function lastUsedAt(grant: Pick<GrantState, "redeemedAt" | "rotatedAt">): number | null {
  return grant.rotatedAt ?? grant.redeemedAt;
}
