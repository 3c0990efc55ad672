import type { TokenHash } from "#crypto/hash.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ClientCredentials } from "#clients/client-proof.ts";
import type { PendingKey } from "#authorization-requests/pending-requests.ts";
import type { NewGrant, ObservedGrant, TokenGrant } from "./grant.ts";

/** What a code is redeemed with. */
export interface CodeClaim {
  readonly instanceId: number;
  readonly issuer: string;
  readonly credentials: ClientCredentials;
  readonly codeHash: TokenHash;
  /** Absent where the client did not repeat it (OAuth 2.1 §10.2 no longer asks for it). */
  readonly redirectUri: string | undefined;
  readonly codeChallenge: string;
  /** What the client asks to narrow to; absent means all that was granted (RFC 8707 §2.2). */
  readonly resource: string | undefined;
  /** The key whose holder redeems it, where they prove that. */
  readonly keyThumbprint: string | undefined;
  /** When the access token that it gives will expire. */
  readonly tokensUntil: number;
}

/** What a refresh moves on. */
export interface RotationClaim {
  readonly instanceId: number;
  readonly issuer: string;
  readonly credentials: ClientCredentials;
  readonly grantId: string;
  /** The generation of the presented token. */
  readonly generation: number;
  readonly grantIdleSeconds: number;
  /** The scopes that the client asks to narrow to; none means all that were granted. */
  readonly requestedScopes: readonly Scope[];
  /** What clients that registered themselves may have now. */
  readonly dynamicScopes: readonly Scope[];
  /** As for a code. */
  readonly resource: string | undefined;
  readonly keyThumbprint: string | undefined;
  /** When the last access token will expire that this refresh, or a repetition of it, gives. */
  readonly tokensUntil: number;
}

/** What a signed assertion grants. There is no code, and no refresh: the client comes back with another assertion. */
export interface AssertedGrant
  extends Pick<
    NewGrant,
    "id" | "instanceId" | "issuer" | "personId" | "scope" | "resource" | "codeHash" | "createdAt"
  > {
  readonly credentials: ClientCredentials;
  /** The issuer whose word the grant rests on: it ends with what an administrator decides about the issuer. */
  readonly assertedBy: string;
  /** When the access token that it gives will expire. */
  readonly tokensUntil: number;
}

/** Whether the credentials are right, and what the grant looks like, after a claim or rotation that changed nothing. */
export interface Observation {
  readonly clientAuthenticated: boolean;
  readonly grant: ObservedGrant | null;
}

/**
 * A person who allows apps one after the other, and ends each, could make the policy snapshot grow without end: a revoked grant is in
 * it until its access token expires. Nobody connects more apps than this in an hour.
 */
export const GRANTS_PER_PERSON_AND_HOUR = 100;

/** `gone`: the request is no longer pending. `too-many`: the person has allowed too much within the hour. */
export type Addition = "added" | "gone" | "too-many";

/** What tokens rest on. Each act is one round trip, and checks everything in the statement that changes the row. */
export interface TokenGrants {
  /** Ends a pending request and writes its grant, both or neither; of two answers to one page, one finds nothing to end. */
  add(pending: PendingKey, grant: NewGrant): Promise<Addition>;
  /** Claims a code. `null` when any of it does not hold; the code is then as good as before. */
  claimCode(claim: CodeClaim, now: number): Promise<TokenGrant | null>;
  /**
   * Writes the grant of an assertion; where the same one is running, that one goes on. `null` when the client or the person may not
   * have it, or the person has too many.
   */
  addAsserted(grant: AssertedGrant): Promise<TokenGrant | null>;
  observeCode(claim: CodeClaim): Promise<Observation>;
  /** Moves a grant one generation on, or tells why not. */
  rotate(claim: RotationClaim, now: number): Promise<{ rotated: TokenGrant } | Observation>;
  /** A grant of this client, as it is now, and whether the client is who it says. */
  observe(grant: { instanceId: number; grantId: string; credentials: ClientCredentials }): Promise<Observation>;
  /** Deletes grants that ended before this moment and that no revocation list still needs, up to a limit; returns how many. */
  sweep(endedBefore: number, rowsMax: number): Promise<number>;
}
