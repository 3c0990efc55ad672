import type { ConsentScope } from "#consents/consent-scope.ts";

/** Which grants an act ends: one, or all of a person, of a client, of a client of one person, or of the instance. */
export type GrantScope =
  | { readonly kind: "grant"; readonly grantId: string; readonly personId: string; readonly clientId: string }
  | ConsentScope;

/** A session at the organisation's SSO, as it is kept with what was opened in it. */
export interface SsoSessionEnding {
  readonly instanceId: number;
  readonly ssoSession: string;
  /** Whose grants; `undefined`: everybody's. */
  readonly personId: string | undefined;
  /** Whether access that a person asked to keep while they are away ends too. */
  readonly withOffline: boolean;
  readonly actor: string;
  readonly at: number;
}

/** Why grants ended, as the database and the audit have it. */
export type EndReason =
  | "revoked_by_person"
  | "revoked_by_administrator"
  | "revoked_by_client"
  | "client_removed"
  | "person_deactivated"
  | "person_released"
  | "signed_out"
  | "code_replayed"
  | "refresh_token_reused"
  | "issuer_changed";

export interface Ending {
  readonly instanceId: number;
  readonly scope: GrantScope;
  readonly reason: EndReason;
  /** As in the audit. */
  readonly actor: string;
  /** Seconds. */
  readonly at: number;
}

/** How many grants ended, and how many consents were forgotten. */
export interface Ended {
  readonly grants: number;
  readonly consents: number;
}

/** Ends grants. */
export interface GrantEnding {
  /**
   * Ends every grant of the scope, records it, and forgets what was allowed, in one transaction. Codes on their way are dead at once; running
   * access tokens end within the age of a policy snapshot.
   */
  end(ending: Ending): Promise<Ended>;
}

/** What is remembered of an answer is about the app and the person, not about one of its grants. */
export function consentsOf(scope: GrantScope): ConsentScope {
  return scope.kind === "grant"
    ? { kind: "client-of-person", personId: scope.personId, clientId: scope.clientId }
    : scope;
}
