import type { ClientKind } from "#clients/client.ts";
import type { TokenHash } from "#crypto/hash.ts";
import type { AppRequirement } from "#protocol/app-requirements.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { GrantState } from "./running.ts";

/** A leaked code is stale before it can be used; OAuth 2.1 §4.1.2 allows at most ten minutes. */
export const CODE_LIFETIME_SECONDS = 60;

/** What consent writes: one row, which the code claims once and each refresh moves one generation on. */
export interface NewGrant {
  readonly id: string;
  readonly instanceId: number;
  readonly issuer: string;
  readonly clientId: string;
  readonly personId: string;
  /** Space-separated, in the spelling that was asked for. */
  readonly scope: string;
  readonly resource: string;
  readonly redirectUri: string;
  readonly codeHash: TokenHash;
  readonly codeChallenge: string;
  /** What the ID token of the code repeats; absent where there is none. */
  readonly nonce: string | undefined;
  /** The key that the code is for (RFC 9449 §10); absent where the request named none. */
  readonly keyThumbprint: string | undefined;
  readonly codeExpiresAt: number;
  readonly createdAt: number;
  /** The end of the grant, however often it is refreshed. */
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
  /** No access token of this grant may live longer: its revocation is heard of until then. */
  readonly tokensUntil: number;
  readonly nonce: string | null;
  /** Kind and scopes of the client, as they are now. */
  readonly clientKind: ClientKind;
  readonly clientScopes: readonly Scope[];
}

/** A grant as a failed request finds it, for telling why it failed. */
export interface ObservedGrant extends TokenGrant, GrantState {
  readonly issuer: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly codeExpiresAt: number;
  /** The key that the code is for, and then that of the last tokens. */
  readonly keyThumbprint: string | null;
  /** What its client has to do, by its own word or an administrator's. */
  readonly clientRequirements: readonly AppRequirement[];
  readonly personDeactivatedAt: number | null;
}
