import type { Deed } from "#audit/audit.ts";

/** The grants that a decision ends: one, or all of a person, of a client, of a client of one person, of an SSO, or of the instance. */
export type GrantScope =
  | { readonly kind: "grant"; readonly grantId: string; readonly personId: string; readonly clientId: string }
  | { readonly kind: "person"; readonly personId: string }
  | { readonly kind: "client"; readonly clientId: string }
  | { readonly kind: "client-of-person"; readonly personId: string; readonly clientId: string }
  /** Of the people who signed in at an SSO that is not connected any more. */
  | { readonly kind: "single-sign-on"; readonly issuer: string }
  | { readonly kind: "instance" };

/** The end of a session at the organisation's SSO. The session's id is stored with everything that was opened in it. */
export interface SsoSessionEnding extends Deed {
  readonly ssoSession: string;
  /** The person whose grants end; `undefined` for everybody. */
  readonly personId: string | undefined;
  /** Whether access that a person asked to keep while they are away (`offline_access`) ends too. */
  readonly withOffline: boolean;
  /** The last second of the sign-ins whose grants end; `undefined` for all. */
  readonly until: number | undefined;
}

/** Why grants ended, as the database and the audit store it. */
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
  | "issuer_changed"
  | "sso_removed";

export interface Ending extends Deed {
  readonly scope: GrantScope;
  readonly reason: EndReason;
}
