import type { Scope } from "#protocol/scopes.ts";

/** Who calls the Client API: always a person, through some credential. */
export interface Caller {
  readonly personId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** What an own token is for (RFC 8707); the other kinds are for all of the Client API. */
  readonly resource?: string;
  /** The app that an own token was issued to. */
  readonly clientId?: string;
  readonly grantId?: string;
  /** The key that the token is bound to; absent for a bearer token. */
  readonly keyThumbprint?: string | undefined;
  /** The app as its rules name it: what `ruledApp` says for our own tokens, `issuersApp` for an identity provider's. */
  readonly app?: string;
  /** Scopes of the token that the app's rules don't allow this person. */
  readonly withheld?: readonly Scope[];
}
