/** What each event says beside who and when. Values are identifiers and settings: never a token, code, secret or form value. */
export interface AuditDetails {
  readonly instance_created: { readonly name: string };
  readonly settings_changed: Changed;
  readonly single_sign_on_changed: Changed & { readonly isSecretNew: boolean };
  readonly logo_changed: { readonly before: string | null; readonly after: Values | null };
  readonly signing_key_rotated: { readonly isCompromised: boolean };
  /** `kid` names a signing key, or the receiver of audit entries; it is empty for the secret of the single sign-on. */
  readonly secret_resealed: { readonly masterKey: string; readonly kind: string; readonly kid: string };

  /** `role` is the new one; `null`: none any more. */
  readonly role_changed: { readonly email: string; readonly role: string | null };
  readonly person_standing_changed: { readonly email: string; readonly deactivated: boolean };
  /** A directory renamed them. */
  readonly person_email_changed: { readonly before: string; readonly after: string };
  readonly person_released: { readonly email: string };
  /** `before` is the name until then; `users` are the first users that the directory named. */
  readonly directory_group_changed: {
    readonly group: string;
    readonly groupId: string;
    readonly before?: string;
    readonly added?: number;
    readonly removed?: number;
    readonly users?: readonly string[];
  };
  /** `clientId` is the app that sent them to the sign-in; absent: our own pages. */
  readonly signed_in: { readonly email: string; readonly issuer: string; readonly clientId?: string };
  readonly signed_out: Readonly<Record<string, never>>;
  /** What a person allowed, or what the issuer `assertedBy` asserted for `personId`. A service account is its own actor. */
  readonly app_authorized: {
    readonly clientId: string;
    readonly grantId: string;
    readonly scope: string;
    readonly resource: string;
    readonly personId?: string;
    readonly assertedBy?: string;
  };
  readonly app_denied: { readonly clientId: string; readonly scope: string; readonly reason: string };
  /** A request of a known person, app or token that was refused, and how many like it since the last entry. */
  readonly access_refused: RefusedRequest;
  /** The same for unknown callers. */
  readonly request_refused: RefusedRequest;
  readonly directory_user_added: DirectoryUser;
  readonly directory_user_changed: DirectoryUser;
  readonly directory_user_removed: DirectoryUser;
  readonly directory_group_created: { readonly group: string; readonly groupId: string };
  readonly directory_group_removed: { readonly group: string; readonly groupId: string };
  readonly sessions_ended: { readonly sessions: number };
  /** `effect` is what it ended: everything of a person, a session at the SSO, or none. `subject` names somebody who isn't known here. */
  readonly signal_received: {
    readonly event: string;
    readonly effect: string;
    readonly personId?: string;
    readonly subject?: string;
  };

  readonly signal_transmitter_changed: Changed & { readonly isSecretNew: boolean };
  readonly signal_transmitter_removed: { readonly before: Values };

  readonly client_created: Client & Values;
  readonly client_changed: Client & Changed;
  readonly client_secret_rotated: Client;
  readonly client_approved: Client;
  readonly client_denied: Client;
  readonly client_disabled: Client;
  readonly client_enabled: Client;
  readonly client_removed: Client;

  /** Which groups may use an app, with which scopes; none: everybody. */
  readonly client_rules_changed: Client & { readonly before: readonly unknown[]; readonly after: readonly unknown[] };

  /** `scope` says what was ended: one grant, or all of a person, a client, a client of one person, or the instance. */
  readonly grants_ended: {
    readonly scope: string;
    readonly grantId?: string;
    readonly personId?: string;
    readonly clientId?: string;
    readonly issuer?: string;
    readonly reason: string;
    /** How many. */
    readonly grants?: number;
  };

  readonly service_account_created: { readonly id: string } & Values;
  readonly service_account_changed: { readonly id: string } & Changed;
  readonly service_account_disabled: { readonly id: string };
  readonly service_account_enabled: { readonly id: string };
  readonly service_account_removed: { readonly id: string; readonly name: string };
  readonly service_token_issued: { readonly id: string } & Values;
  readonly service_token_rotated: { readonly id: string; readonly endedOthersNow?: boolean };
  readonly service_token_revoked: { readonly id: string };
  /** Tokens that ended together with their holder or issuer: a person, or another token. */
  readonly service_tokens_ended: { readonly with: string; readonly ids?: readonly string[] };

  readonly external_issuer_registered: { readonly after: Values };
  readonly external_issuer_changed: Changed;
  readonly external_issuer_disabled: { readonly issuer: string };
  readonly external_issuer_enabled: { readonly issuer: string };
  readonly external_issuer_removed: { readonly before: Values };

  /** Engines: `object`, or `postgres:<binding>`. */
  readonly documents_move_started: { readonly from: string; readonly to: string };
  readonly documents_move_cancelled: { readonly from: string; readonly to: string };
  readonly documents_moved: { readonly from: string; readonly to: string; readonly documents: number };
  /** What was left in the engine that the documents were moved from. */
  readonly documents_erased: { readonly from: string };
  readonly documents_placement_restored: { readonly from: string; readonly to: string };

  readonly metadata_group_created: { readonly group: string; readonly after: unknown };
  readonly metadata_group_changed: { readonly group: string; readonly before: unknown; readonly after: unknown };
  readonly metadata_group_removed: { readonly group: string; readonly before: unknown };

  /** The Authorization header of deliveries to the receiver was set or removed. */
  readonly audit_receiver_authorized: { readonly receiver: string; readonly isSet: boolean };
  /** Entries that were a day old and had no seal: the trigger had not run, or somebody took the seals off. */
  readonly audit_sealed_late: { readonly from: number; readonly through: number };
  /** Entries up to a place were removed by retention; `hash` is the last one's, which the next entry follows. */
  readonly audit_trimmed: { readonly through: number; readonly hash: string; readonly before: string };
}

/** `clientId` may be what the request only claims; `network` and `requestId` are the last one's. */
export interface RefusedRequest {
  readonly reason: string;
  readonly code: string;
  /** The method, and the part of the address that contains nothing of the sender's. */
  readonly operation: string;
  readonly times: number;
  readonly requestId: string;
  readonly clientId?: string;
  readonly personId?: string;
  readonly grantId?: string;
  readonly network?: string;
}

interface DirectoryUser {
  readonly userId: string;
  readonly email: string;
}

type Values = Readonly<Record<string, unknown>>;
interface Changed {
  readonly before: Values | null;
  readonly after: Values;
}
interface Client {
  readonly clientId: string;
}

/** Everything that the audit can say. */
export type AuditEvent = keyof AuditDetails;
