import type { TokenHash } from "#crypto/secrets.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ClientCredentials } from "#clients/client.ts";
import type { NewGrant, ObservedGrant } from "./grant.ts";

/** What a client asks tokens of a grant with. */
interface TokenClaim {
  readonly instanceId: number;
  readonly issuer: string;
  readonly credentials: ClientCredentials;
  /** The resource that the client asks to narrow to; absent means the granted one (RFC 8707 §2.2). */
  readonly resource: string | undefined;
  /** The key that the client proves to hold, if any. */
  readonly keyThumbprint: string | undefined;
  /** The latest expiry of the access tokens that this claim, or a repetition of a refresh, gives. */
  readonly tokensUntil: number;
}

/** The values that a code is redeemed with. */
export interface CodeClaim extends TokenClaim {
  readonly codeHash: TokenHash;
  /** Absent if the client did not repeat it (OAuth 2.1 §10.2 no longer requires it). */
  readonly redirectUri: string | undefined;
  readonly codeChallenge: string;
}

/** The values that a refresh rotates a grant with. */
export interface RotationClaim extends TokenClaim {
  readonly grantId: string;
  /** The generation of the presented token. */
  readonly generation: number;
  readonly grantIdleSeconds: number;
  /** The scopes that the client asks to narrow to; none means all that were granted. */
  readonly requestedScopes: readonly Scope[];
  /** The scopes that clients which registered themselves may have now. */
  readonly dynamicScopes: readonly Scope[];
}

/** The access that a signed assertion grants. There is no code and no refresh: the client comes back with another assertion. */
export interface AssertedGrant
  extends Pick<
    NewGrant,
    "id" | "instanceId" | "issuer" | "personId" | "scope" | "resource" | "codeHash" | "createdAt"
  > {
  readonly credentials: ClientCredentials;
  /** The issuer whose assertion the grant rests on. The grant ends when an administrator changes, disables or removes the issuer. */
  readonly assertedBy: string;
  /** When the person signed in at the issuer, in seconds. */
  readonly signedInAt: number;
  /** `null` for a service account: its issuer and rule are part of the proof, which is compared instead. */
  readonly basis: AssertionBasis | null;
  /** The key that the client proves to hold, if any. */
  readonly keyThumbprint: string | undefined;
  /** When the access token that it gives will expire. */
  readonly tokensUntil: number;
  /** The app whose token was exchanged for this access, and that token's grant, which has to be running; the app if a provider issued it. */
  readonly exchanged: { readonly app: string; readonly from: string } | null;
}

/** What an identity provider's JWT was accepted by. If it no longer stands, no grant is written. */
export interface AssertionBasis {
  /** The version of the policy snapshot that contained the issuer. */
  readonly policyVersion: number;
  /** The assertion's `iat`. Since then, the person must not have been signed out everywhere. */
  readonly issuedAt: number;
}

/** What a claim or rotation that changed nothing finds: whether the credentials are right, and what the grant looks like. */
export interface Observation {
  readonly clientAuthenticated: boolean;
  readonly grant: ObservedGrant | null;
}

/**
 * The most grants of one person within an hour that they allowed, and the most that others asserted for them, so that no app that
 * exchanges tokens for a person can keep them from allowing another. A person who allows one app after another and ends each could otherwise make the
 * policy snapshot grow without end, because a revoked grant stays in it until its access token expires. Nobody connects more apps
 * than this in an hour.
 */
export const GRANTS_PER_PERSON_AND_HOUR = 100;

/** `gone`: the request is no longer pending. `too-many`: the person has allowed too many apps within the hour. */
export type Addition = "added" | "gone" | "too-many";
