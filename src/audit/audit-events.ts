/**
 * The details of each event, in addition to actor and time. Values are identifiers and settings, never a token, code, secret or
 * form value.
 */
export interface AuditDetails {
  readonly instance_created: { readonly name: string };
  readonly settings_changed: Changed;
  readonly single_sign_on_changed: Changed & { readonly isSecretNew: boolean };
  readonly single_sign_on_removed: { readonly issuer: string; readonly before: Values };
  readonly logo_changed: { readonly before: string | null; readonly after: Values | null };
  readonly signing_key_rotated: { readonly isCompromised: boolean };
  /** `kid` names a signing key, or the receiver of audit entries; it is empty for the client secret of the SSO. */
  readonly secret_resealed: { readonly masterKey: string; readonly kind: string; readonly kid: string };

  /** `role` is the new role; `null`: none any more. */
  readonly role_changed: { readonly email: string; readonly role: string | null };
  readonly person_standing_changed: { readonly email: string; readonly deactivated: boolean };
  /** A directory changed somebody's email address. */
  readonly person_email_changed: { readonly before: string; readonly after: string };
  readonly person_released: { readonly email: string };
  /** `before` is the old name; `users` are the first users that the directory named. */
  readonly directory_group_changed: {
    readonly group: string;
    readonly groupId: string;
    readonly before?: string;
    readonly added?: number;
    readonly removed?: number;
    readonly users?: readonly string[];
  };
  /** `clientId` is the app that the person signed in for; absent: our own pages. */
  readonly signed_in: { readonly email: string; readonly issuer: string; readonly clientId?: string };
  readonly signed_out: Readonly<Record<string, never>>;
  /**
   * What a person allowed, or what the issuer `assertedBy` asserted for `personId`. For a service account, the actor is the account. For
   * a token that the app exchanged, the actor is the app, and `exchangedFrom` the app that had it.
   */
  readonly app_authorized: {
    readonly clientId: string;
    readonly grantId: string;
    readonly scope: string;
    readonly resource: string;
    readonly personId?: string;
    readonly assertedBy?: string;
    readonly exchangedFrom?: string;
  };
  readonly app_denied: { readonly clientId: string; readonly scope: string; readonly reason: string };
  /** A person asked the administrators to approve an app. */
  readonly app_requested: { readonly clientId: string };
  /** A refused request of a known person, app or token, with the number of similar ones since the last entry. */
  readonly access_refused: RefusedRequest;
  /** The same for unknown callers. */
  readonly request_refused: RefusedRequest;
  readonly directory_user_added: DirectoryUser;
  readonly directory_user_changed: DirectoryUser;
  readonly directory_user_removed: DirectoryUser;
  readonly directory_group_created: { readonly group: string; readonly groupId: string };
  readonly directory_group_removed: { readonly group: string; readonly groupId: string };
  readonly sessions_ended: { readonly sessions: number };
  /**
   * `effect` is what the signal ended: all of a person's access, one session at the SSO, or nothing. `subject` names somebody who
   * isn't known here. `until` is when the event happened, if it came late: what was given after that stays.
   */
  readonly signal_received: {
    readonly event: string;
    readonly effect: string;
    readonly personId?: string;
    readonly until?: number;
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

  /** The groups that may use an app, with their scopes; none: everybody. */
  readonly client_rules_changed: Client & { readonly before: readonly unknown[]; readonly after: readonly unknown[] };
  /** What an app may search; none: everything that its person may see. */
  readonly client_content_changed: Client & { readonly before: readonly unknown[]; readonly after: readonly unknown[] };

  /**
   * `scope` is what was ended: one grant, or all grants of a person, a client, a client of one person, or the instance.
   */
  readonly grants_ended: {
    readonly scope: string;
    readonly grantId?: string;
    readonly personId?: string;
    readonly clientId?: string;
    readonly issuer?: string;
    readonly reason: string;
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
  /** Tokens that ended together with `with`: the person or token that held or issued them. */
  readonly service_tokens_ended: { readonly with: string; readonly ids?: readonly string[] };

  readonly external_issuer_registered: { readonly after: Values };
  readonly external_issuer_changed: Changed;
  readonly external_issuer_disabled: { readonly issuer: string };
  readonly external_issuer_enabled: { readonly issuer: string };
  readonly external_issuer_removed: { readonly before: Values };

  /** Engines: `object`, or `shards:<number of objects>`. */
  readonly documents_move_started: { readonly from: string; readonly to: string };
  readonly documents_move_cancelled: { readonly from: string; readonly to: string };
  readonly documents_moved: { readonly from: string; readonly to: string; readonly documents: number };
  /** The documents that a move left in the old engine were deleted. */
  readonly documents_erased: { readonly from: string };
  readonly documents_placement_restored: { readonly from: string; readonly to: string };
  /** `at`: the time to which the documents are restored, in seconds. */
  readonly documents_rewound: { readonly at: number };

  /**
   * A complete bulk upload would remove much of what a datasource has: `stale` of `total`. It is held until `until`, unless the upload
   * asked for no check (`removal_unchecked`). `kind` is what it contained, `group` whose members, and `began` when it began, because a
   * pipeline may use the same id again.
   */
  readonly removal_held: HeldRemoval & { readonly total: number; readonly began: string; readonly until: string };
  readonly removal_unchecked: HeldRemoval & { readonly total: number; readonly began: string };
  readonly removal_decided: HeldRemoval & { readonly decision: "remove" | "discard" };
  /** Documents that uploads had removed were brought back, or erased for good. */
  readonly removal_undone: { readonly datasource: string; readonly documents: number };
  readonly removal_final: { readonly datasource: string; readonly documents: number };

  /** What words are also called: how many entries there are now, and those that were added and removed, at most 100 each. */
  readonly glossary_changed: {
    readonly entries: number;
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };

  readonly metadata_group_created: { readonly group: string; readonly after: unknown };
  readonly metadata_group_changed: { readonly group: string; readonly before: unknown; readonly after: unknown };
  readonly metadata_group_removed: { readonly group: string; readonly before: unknown };

  /** The Authorization header of deliveries to the receiver was set or removed. */
  readonly audit_receiver_authorized: { readonly receiver: string; readonly isSet: boolean };
  /** Entries were a day old and had no seal: the trigger had not run, or somebody removed the seals. */
  readonly audit_sealed_late: { readonly from: number; readonly through: number };
  /**
   * Retention removed entries up to `through`; `hash` is the last removed entry's, which the next entry follows. They were older than
   * `keptSeconds`.
   */
  readonly audit_trimmed: {
    readonly through: number;
    readonly hash: string;
    readonly before: string;
    readonly keptSeconds: number;
  };
}

/** `clientId` may be only the request's own claim; `network` and `requestId` are those of the latest request. */
export interface RefusedRequest {
  readonly reason: string;
  readonly code: string;
  /** The method, and the part of the path that contains nothing from the sender. */
  readonly operation: string;
  readonly times: number;
  readonly requestId: string;
  readonly clientId?: string;
  readonly personId?: string;
  readonly grantId?: string;
  readonly network?: string;
}

interface HeldRemoval {
  readonly datasource: string;
  readonly kind: string;
  readonly group?: string;
  readonly uploadId: string;
  readonly stale: number;
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

export type AuditEvent = keyof AuditDetails;
