import type { AppNames } from "#app-access/app-access.ts";
import type { Scope } from "#protocol/scopes.ts";

/** The caller of the Client API: always a person or a service account, through some credential. */
export interface Caller {
  readonly personId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The resource that an own token is for (RFC 8707); tokens of other kinds are for all of the Client API. */
  readonly resource?: string;
  /** The app that an own token was issued to. */
  readonly clientId?: string;
  readonly grantId?: string;
  /** The key that the token is bound to; absent for a bearer token. */
  readonly keyThumbprint?: string | undefined;
  /** The names, in rules about who may use it and what it may search, of the app and of those from which it has the access. */
  readonly apps: readonly AppNames[];
  /** Scopes that the app's rules don't allow this person, whether or not the token has them. */
  readonly withheld?: readonly Scope[];
}
