import type { Client } from "#clients/client.ts";
import type { TokenHash } from "#crypto/secrets.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

/** How long a person has to sign in and decide. */
export const AUTHORIZATION_REQUEST_LIFETIME_SECONDS = 15 * 60;

/**
 * How long a pushed request works. Browsers follow the reference at once (RFC 9126 §2.2 names 5 to 600 seconds; FAPI 2.0 asks for
 * less than 600).
 */
export const PUSHED_REQUEST_LIFETIME_SECONDS = 90;

/**
 * The most pending requests of one network at one instance: more than a large office signs in to at once, and at most 4 MB of
 * storage, because each takes up to 8 kB.
 */
export const REQUESTS_PER_CALLER = 500;

/** The person who is asked. The SSO identified them a moment ago. */
export interface SignedInPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** An authorization request whose person has signed in, and its client. */
export interface RequestAtConsent {
  readonly request: AuthorizationRequest;
  readonly person: SignedInPerson;
  readonly client: Client;
}

export interface NewRequest {
  readonly handleHash: TokenHash;
  readonly instanceId: number;
  readonly request: AuthorizationRequest;
  readonly expiresAt: number;
  /** The caller's network, if known. */
  readonly caller: string | undefined;
}

export interface PendingKey {
  readonly handleHash: TokenHash;
  readonly instanceId: number;
  readonly browserHash: TokenHash;
}

/** A request whose browser returned from the SSO, and the handle of its consent page, which the SSO never saw. */
export interface ReturnedRequest {
  readonly key: PendingKey;
  readonly nextHandleHash: TokenHash;
}
